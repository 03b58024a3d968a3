# Reads the prices, then an order, and prints the bill. All amounts are in cents.

/^#/ || NF == 0 { next }

FNR == NR { price[$1] = $2; next }

!($2 in price) { print "no such lemonade: " $2; failed = 1; next }

{
    cost = $1 * price[$2]
    total += cost
    cups += $1
    printf "%4d %-10s %9s\n", $1, $2, money(cost)
}

END {
    if (failed) exit 1
    if (cups > 10) {
        discount = int(total / 10)
        total -= discount
        printf "     %-10s %9s\n", "discount", "-" money(discount)
    }
    print "total " money(total)
}

function money(cents) {
    return sprintf("%d.%02d", int(cents / 100), cents % 100)
}
