# Prints the packet filter's rules in short: of a rule its first word, alike lines counted; rules can be many.
tab='	'
rules=$(nft list ruleset) && { [ -z "$rules" ] || printf '%s\n' "$rules" |
    sed -e "/^$tab$tab$tab/d" -e "/ hook /!s/^\($tab$tab[^ $tab]*\).*/\1/" | uniq -c; }
