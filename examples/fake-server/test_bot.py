"""Starts the fake service as a program, and steers it from Python. Only the standard library is used.

Run it in a folder with the package: npm install etn-market, then python3 -m unittest test_bot.py
"""

import json
import os
import shlex
import subprocess
import unittest
import urllib.error
import urllib.request

COMMAND = os.environ.get("ETN_MARKET_FAKE", "npx etn-market fake")
HERE = os.path.dirname(os.path.abspath(__file__))
BOLT = "0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1"
MINE = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"


def send(url, headers, method="GET", body=None):
    """Returns the status and the decoded body, for errors too."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def should_sell(base_url, below):
    """The code under test: whether BOLT is below a price. It tries once more when the service is busy."""
    for _ in range(2):
        status, body = send(f"{base_url}/prices/52014/{BOLT}", {"Authorization": "Bearer mine"})
        if status == 200:
            return float(body["data"]["usd"]) < below
    raise RuntimeError(f"status {status}")


class BotTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The pipe to its input ends the server when this program ends, however it ends.
        arguments = ["--exit-with-parent", "--port", "0", "--world", os.path.join(HERE, "world.json"), "--key", "mine=10000"]
        environment = {**os.environ, "ETN_MARKET_CONTROL_TOKEN": "secret"}
        cls.server = subprocess.Popen(
            shlex.split(COMMAND) + arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        line = cls.server.stdout.readline()
        assert line.startswith("Listening on "), line
        cls.base_url = line.split(" ")[-1].strip()
        cls.origin = cls.base_url.split("/public-api")[0]

    @classmethod
    def tearDownClass(cls):
        # npx does not pass a signal on; the end of its input reaches the server behind it.
        cls.server.stdin.close()
        assert cls.server.wait(timeout=10) == 0
        cls.server.stdout.close()

    def setUp(self):
        self.control("POST", "reset", {})

    def control(self, method, path, body=None, token="secret"):
        return send(f"{self.origin}/_fake/{path}", {"X-Fake-Control-Token": token}, method, body)

    def test_sells_below_the_price(self):
        self.control("POST", "world/price", {"token": BOLT, "usd": "0.021"})
        self.assertFalse(should_sell(self.base_url, 0.02))
        self.control("POST", "world/price", {"token": BOLT, "usd": "0.019", "overMs": 3_600_000})
        self.assertFalse(should_sell(self.base_url, 0.02))
        self.control("POST", "clock", {"advanceMs": 3_600_000})
        self.assertTrue(should_sell(self.base_url, 0.02))
        status, _ = self.control("POST", "expect/credits", {"expected": {"token.price": 150}})
        self.assertEqual(status, 200)

    def test_tries_once_more(self):
        self.control("POST", "world/price", {"token": BOLT, "usd": "0.019"})
        self.control("POST", "script", {"operation": "token.price", "steps": [{"status": 503}, "ok"]})
        self.assertTrue(should_sell(self.base_url, 0.02))
        self.assertEqual(self.control("POST", "expect/no-unused-faults", {})[0], 200)
        status, body = self.control("POST", "expect/requests", {"expected": 5})
        self.assertEqual(status, 409)
        self.assertIn("Expected 5 requests, not 2", body["error"]["message"])

    def test_has_the_world_of_the_file(self):
        _, body = send(f"{self.base_url}/prices/52014/{MINE}", {"Authorization": "Bearer mine"})
        self.assertEqual(body["data"]["usd"], "0.019")

    def test_needs_the_token(self):
        self.assertEqual(self.control("GET", "ledger", token="wrong")[0], 403)
        self.assertEqual(send(f"{self.origin}/_fake/health", {})[1]["ok"], True)


if __name__ == "__main__":
    unittest.main()
