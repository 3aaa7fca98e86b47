grave=' GPU recovery action changed from 
 Unrecovered Read Error (sct 
 blocked for more than 
 due to hardware memory corruption
 exceed threshold:
 heart beat exception. dev_id(
 heart beat is lost
 resume of IP block <
 starting up LNI 
 suspend of IP block <
 timeout, aborting
 timeout, completion polled
 timeout, disable controller
 timeout, reset controller
 timeout, signaled seq=
 uncorrectable hardware errors detected in 
): Card not present
): Corruption detected
): I/O error while writing superblock
): Metadata I/O Error
): Metadata corruption detected
): log I/O error
): metadata I/O error
, Critical Warning (
, Fatal
, Non-fatal
: AER: Device recovery failed
: AER: device recovery failed
: AMD-Vi: Event logged [IO_PAGE_FAULT 
: DPC: Device recovery failed
: DPC: containment event, status:
: Device not ready; aborting
: Disabling device after reset failure
: Disk failure on 
: GPU does not have the necessary power cables connected
: GPU has fallen off the bus
: Machine Check Exception:
: PCIe Bus Error: severity=Uncorrectable (Fatal)
: PCIe Bus Error: severity=Uncorrectable (Non-Fatal)
: PCIe Bus Error: severity=Uncorrected (Fatal)
: PCIe Bus Error: severity=Uncorrected (Non-Fatal)
: Rebuild failed, unload and reload driver
: Removing after probe failure
: Unable to change power state from 
: can'"'"'t change power state from 
: controller is down; will reset:
: disagrees about version of symbol 
: event 0x10 received
: failed to mark controller 
: fault_state(0x
: no available path - failing I/O
: pciehp: Slot(
: resetting controller due to persistent internal error
: version magic '"'"'
AMD-Vi: Completion-Wait loop timed out
AMD-Vi: Event logged [IO_PAGE_FAULT device=
ASIC reset failed with error
BTRFS critical (device 
BTRFS error (device 
BTRFS info (device 
BUG: kernel NULL pointer dereference
BUG: soft lockup - 
BUG: unable to handle 
Buffer I/O error on dev 
Buffer I/O error on device 
Cannot initialize GSP firmware RM
Corruption of in-memory data
DMAR: QI detect 
DMAR: VT-d detected Invalidation Time-out Error
Detected insufficient power on the PCIe slot
Device heart beat lost, stop all msg send. (udevid=
Device is abnormal
EDAC 
EXT4-fs error (device 
Error (timeout:
FW in FAULT state
Failed to evict process queues
Failed to update Rx Detect Link mask!
Fatal error 
Filesystem has been shut down due to
Firmware fatal reset event received
Firmware non-fatal reset event received
GPU Recovery Failed:
GPU reset begin!
GPU reset end with ret = -
Health issue observed,
High temperature on sensors
I/O error, dev 
IOTLB_INV_TIMEOUT device=
Internal error: Oops
Kernel panic - not syncing
Loading of module with unavailable key is rejected
Loading of unsigned module is rejected
MES might be in unrecoverable state
Mode2 reset failed
NETDEV WATCHDOG: 
NVRM: API mismatch: the client has the version
NVRM: None of the NVIDIA devices were initialized
NVRM: None of the NVIDIA devices were probed
NVRM: Rate limiting GSP RPC error prints for GPU at 
NVRM: The NVIDIA GPU 
NVRM: The NVIDIA probe routine was not called for
NVRM: This PCI I/O region assigned to your NVIDIA device is invalid
NVRM: Xid (
Out of memory: Kill process 
Out of memory: Killed process 
PCI slot is unavailable
PSP firmware loading failed
PSP load 
Port module event[error]: module 
Queue preemption failed for queue with doorbell_id
RAS event of type ERREVENT_ATHUB_INTERRUPT detected
Remounting filesystem read-only
RmInitAdapter failed!
SMU: I'"'"'m not done with your previous command
SMU: response:0xFFFFFFFF
Sense Key : Hardware Error
Sense Key : Medium Error
Shutting down filesystem
TCP: out of memory -- consider tuning tcp_mem
The cp might be in an unrecoverable state due to an unsuccessful queues preemption
The device urgent heartbeat is lost! (device=
This client was evicted by 
Unable to handle kernel 
Uncorrected, software containable error
Uncorrected, software restartable error
Unmount and run xfs_repair
VFS: file-max limit 
Watchdog detected hard LOCKUP
Will cause a leak of a command resource
XGMI: Failed to 
[Hardware Error]: event severity: fatal
[Hardware Error]: event severity: recoverable
] ACSViol 
] Request device [
attempt to access beyond end of device
critical medium error, dev 
critical target error, dev 
critical temperature reached
detected expedited stalls on CPUs/tasks
detected stalls on CPUs/tasks
device lost from bus!
device'"'"'s health compromised
fallen off the bus and is not responding
general protection fault, probably for non-canonical address
general protection fault: 0000 [
health recovery failed
health recovery flow aborted
hw_init of IP block <
initializing state, aborting
is not supported by
kernel BUG at 
ko2iblnd: No matching interfaces
mce: Uncorrected hardware memory error in user-access
mce: [Hardware Error]: CPU 
neighbor table overflow!
neighbour: ndisc_cache: neighbor table overflow
nf_conntrack: nf_conntrack: table full
nf_conntrack: table full, dropping packet
nfs4_reclaim_open_state: Lock reclaim failed
postRxDetLinkMask failed!
probe with driver amdgpu failed
qcm fence wait loop timeout expired
requires use of the NVIDIA open kernel modules
rm_init_adapter failed
section_type: 
self-detected stall on CPU
unexpected WPR2 already up, cannot proceed with booting GSP
unhandled event
unsigned module loading is restricted'
mild=' (reason '"'"'carrier-changed'"'"'
 ERROR detected invalid context
 Gb/s available PCIe bandwidth, limited by
 NIC Link is Down
 NIC Link is Up
 correctable hardware errors detected in 
 deferred hardware errors detected in 
 dump error cqe
 not responding
 session lost
 socket closed
) was lost; in progress operations using this service will
): carrier: link connected
): link status definitely down
): link status definitely up
: Core temperature above threshold, cpu clock throttled
: Core temperature is above threshold, cpu clock is throttled
: Gained carrier
: Link Down
: Link down
: Link is Down
: Link is Up
: Link is down
: Link is up
: Link up
: Lost carrier
: NVIDIA 
: PCIe Bus Error: severity=Correct
: Package temperature above threshold, cpu clock throttled
: Package temperature is above threshold, cpu clock is throttled
: can'"'"'t assign; no space
: failed command: 
: failed to assign [mem size
: failed to assign; no space
: link down
: link up
: lost carrier
: mlx5_cmd_check:
: mlx5_cmd_out_err:
: no space for [mem size
: page allocation failure: order:
: recovery action for 
ACCESS_REG(0x805) op_mod(
ADDRCONF(NETDEV_CHANGE): 
Conflict open udevid. (udevid=
Entering Safe Mode
Get_user_pages_fast fail
Marking clocksource 
Memory cgroup out of memory: Kill process 
Memory cgroup out of memory: Killed process 
NMI received for unknown reason 
NMI: IOCK error (debug interrupt?) for reason 
NMI: PCI system error (SERR) for reason 
NVRM: Xid
Port module event: module 
Possible SYN flooding on port
WARN: GPU is throttled
[Hardware Error]: Corrected error, no action required
[Hardware Error]: Deferred error, no action required
[Hardware Error]: event severity: corrected
[Hardware Error]: event severity: info
] no-retry page fault (
] page fault (
] retry page fault (
]: segfault at 
abnormal ae_id = 
ceph: 
infiniband 
link status definitely down for interface 
link status definitely up for interface 
mce: [Hardware Error]: Machine check events logged
miss read heart beat over 
nfs: server 
possible memory allocation deadlock
tsc: Marking TSC unstable due to'
virtual='veth|cali|lxc|lxd|cilium|docker|br-|cni|flannel|virbr|vnet|vxlan|tap|tun|wg|dummy|kube|nodelocaldns|gre|ovn|ovs'
