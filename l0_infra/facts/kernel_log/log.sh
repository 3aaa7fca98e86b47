# Prints the kernel's log of this boot, oldest line first, with what network daemons say of links. The journal
# reaches further back than the kernel's own buffer; where it may not be read, dmesg still may.
newest=$1
for file in /run/log/journal/*/*.journal /var/log/journal/*/*.journal; do
    [ ! -r "$file" ] || break
done
if [ -r "$file" ] && [ -n "$(journalctl -q -b -n 1 _TRANSPORT=kernel 2>/dev/null)" ]; then
    log() {
        journalctl -q -b --no-pager -o short-iso -n "$newest" _TRANSPORT=kernel \
            + SYSLOG_IDENTIFIER=systemd-networkd + SYSLOG_IDENTIFIER=NetworkManager
        true
    }
else
    log() { dmesg; }
fi
