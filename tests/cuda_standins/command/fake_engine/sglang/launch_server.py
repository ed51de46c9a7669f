"""Answers its health check and requests once the engine is there: `--port 8000`."""

import http.server
import json
import sys

from sglang.srt.managers.scheduler import Scheduler


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        options = asked["sampling_params"]
        is_answered = self.path == "/generate" and options["ignore_eos"]
        if is_answered:
            engine.generate(asked["input_ids"], options["max_new_tokens"])
        self.send_response(200 if is_answered else 404)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def option(name, usual):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else usual


if __name__ == "__main__":
    engine = Scheduler(float(option("--mem-fraction-static", "0.9")))
    engine.generate([[1] * 16], 8)
    http.server.HTTPServer(("127.0.0.1", int(option("--port", "8000"))), Answers).serve_forever()
