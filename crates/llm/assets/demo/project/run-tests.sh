#!/bin/sh
# Compares the total of every order in tests/cases.txt. The last test is slow and waits for a key.
cd "$(dirname "$0")" || exit 1

passed=0
failed=0
green='' red='' plain=''
if [ -t 1 ]; then
    green=$(printf '\033[32m') red=$(printf '\033[31m') plain=$(printf '\033[0m')
fi

pause() {
    sleep 0.3 2>/dev/null || sleep 1
}

total_of() {
    sh ./bill.sh "$1" | awk '$1 == "total" { print $2 }'
}

compare() { # total, expected
    if [ "$1" = "$2" ]; then
        passed=$((passed + 1))
        echo "${green}ok${plain}"
    else
        failed=$((failed + 1))
        echo "${red}FAILED${plain}: the total is $1, not $2"
    fi
}

# Waits for a key, but not for ever: there may be nobody to press one.
wait_for_key() {
    if [ ! -t 0 ]; then
        echo '(no keyboard here, going on)'
        return
    fi
    saved=$(stty -g)
    stty -icanon -echo min 0 time 100
    key=$(dd bs=1 count=1 2>/dev/null; echo .)
    stty "$saved"
    case $key in
        .) echo '(no key for ten seconds, going on)' ;;
        *) echo '(thank you)' ;;
    esac
}

echo 'Testing the lemonade stand'
while read -r order expected; do
    case $order in '' | '#'*) continue ;; esac
    printf '  %-14s' "$order"
    for _ in 1 2 3; do
        printf '.'
        pause
    done
    printf ' '
    compare "$(total_of "orders/$order.txt")" "$expected"
done < tests/cases.txt

printf '\nOne slow test is left. Press Enter to run it: '
wait_for_key
for percent in 0 20 40 60 80 100; do
    printf '\r  thousand-cups %3d %%' "$percent"
    pause
done
printf '\r  %-14s... ' thousand-cups
compare "$(echo '1000 classic' | total_of -)" 2250.00

printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
