"""Candles of four hours from a CSV file with hours: python3 pandas_candles.py bolt.csv"""
import sys

import pandas

# Without `round_trip`, pandas reads some numbers with another last digit.
candles = pandas.read_csv(sys.argv[1], index_col="time", parse_dates=["time"], float_precision="round_trip")
columns = {"open": "first", "high": "max", "low": "min", "close": "last", "volume": "sum"}
hours = candles.resample(pandas.Timedelta(hours=4)).agg(columns)
# A period without a trade has no candle: its prices are the close before it.
hours["close"] = hours["close"].ffill()
for price in ["open", "high", "low"]:
    hours[price] = hours[price].fillna(hours["close"])
print(hours.to_csv(), end="")
