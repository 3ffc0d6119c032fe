import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTo } from '#test/setup/app.ts';
import type { Attack } from './measure-attack.ts';
import { openUnread, requestText } from './raw-socket.ts';

let headers: Record<string, string>;

export const unreadAnswers: Attack = {
  title: '64 sockets with bodies of 9.9 MB behind answers that they never read, for 40 s',
  async prepare({ address }) {
    ({ headers } = await connectTo(address).signUp());
  },
  async run({ address }) {
    const body = `{"source_text":"${'x'.repeat(9_900_000)}","target_lang":"fr"}`;
    const large = requestText('POST', '/api/translations', {
      ...headers,
      'content-type': 'application/json',
      'content-length': body.length,
    });
    const sockets = Array.from({ length: 64 }, () => openUnread(address));
    for (const socket of sockets) {
      // These responses exceed the kernel's buffers, so the next response is delayed.
      socket.write(requestText('GET', '/docs/swagger-ui-bundle.js').repeat(6));
      socket.write(large);
      socket.write(body);
    }
    // Requests by another client, whose bodies also exceed 100 KB.
    const statuses: Record<number, number> = {};
    for (const end = Date.now() + 40_000; Date.now() < end; await sleep(500)) {
      const { status } = await fetch(`${address}/api/translations`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ source_text: 'x'.repeat(200_000), target_lang: 'fr' }),
      });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    for (const socket of sockets) socket.destroy();
    return { 'statuses of others (413 is right)': JSON.stringify(statuses) };
  },
};
