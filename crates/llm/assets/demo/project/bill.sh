#!/bin/sh
# Prints the bill for an order:  ./bill.sh orders/party.txt
cd "$(dirname "$0")" || exit 1
exec awk -f lib/bill.awk prices.txt "${1:?usage: ./bill.sh ORDER}"
