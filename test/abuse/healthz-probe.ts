import { Agent, get } from 'node:http';

/**
 * Requests `/healthz` of the address in the first argument every 10 ms, whether or not earlier requests have responses, until
 * the parent says stop; then sends the latencies. From an address of its own, so that limits on the
 * attacker's address do not affect the probe. (Only Linux has all of 127.0.0.0/8.)
 */
const url = `${process.argv[2]}/healthz`;
const agent = new Agent({ keepAlive: true });
const localAddress = process.platform === 'linux' ? '127.0.0.9' : undefined;
const latencies: number[] = [];
let failed = 0;
let open = 0;

function ask(due: number): Promise<void> {
  open += 1;
  return new Promise((resolve) => {
    const settle = (ok: boolean) => {
      open -= 1;
      latencies.push(performance.now() - due);
      if (!ok) failed += 1;
      resolve();
    };
    get(url, { agent, ...(localAddress && { localAddress }) }, (response) => {
      response.resume();
      response.once('close', () => settle(response.statusCode === 200));
    }).once('error', () => settle(false));
  });
}

// The first requests pay for the connection and the modules of the client.
for (let warm = 0; warm < 20; warm++) await ask(performance.now());
latencies.length = 0;
failed = 0;

let due = performance.now();
const timer = setInterval(() => {
  for (; due <= performance.now(); due += 10) void ask(due);
}, 5);
process.once('message', () => {
  clearInterval(timer);
  const report = () => {
    if (open > 0) return void setTimeout(report, 10);
    process.send?.({ latencies, failed }, () => process.exit(0));
  };
  report();
});
process.send?.('ready');
