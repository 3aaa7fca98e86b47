# Prints the packet filter's rules in short: `-A` for a rule, alike lines counted; rules can be many.
rules=$(iptables-save) && { [ -z "$rules" ] || printf '%s\n' "$rules" | sed 's/^-A.*/-A/' | uniq -c; }
