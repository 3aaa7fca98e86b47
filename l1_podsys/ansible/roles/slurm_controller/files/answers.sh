# Waits until slurmctld answers; shows the end of its log when it does not.
for try in $(seq 60); do
    scontrol ping | grep -q 'is UP' && exit 0
    sleep 0.5
done
echo "slurmctld: found no answer within 30 s; expected one. The end of /var/log/slurm/slurmctld.log:" >&2
tail -n 5 /var/log/slurm/slurmctld.log >&2
exit 1
