import { Agent, get } from 'node:http';

/**
 * A process that requests `/healthz` of the URL in its first argument every 10 ms, even if earlier requests have no
 * response yet. When its parent process requests it, the process stops and sends the latencies. It uses its own client
 * address, so that limits for the attacker's address do not affect it. (Only Linux has all addresses of 127.0.0.0/8.)
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

// The first requests are slower, because they open the connection and load modules.
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
