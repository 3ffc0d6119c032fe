import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './measure-attack.ts';
import { openUnread, requestText } from './raw-socket.ts';

export const slowBodies: Attack = {
  title: '1,500 sockets send 95 of 99 KB without a credential, then a byte a second, for 30 s',
  async run({ address }) {
    const sockets = Array.from({ length: 1500 }, () => {
      const socket = openUnread(address);
      const head = { 'content-type': 'application/json', 'content-length': 99_000 };
      socket.write(requestText('POST', '/api/translations', head, 'x'.repeat(95_000)));
      return socket;
    });
    for (let second = 0; second < 30; second++) {
      await sleep(1000);
      for (const socket of sockets) if (socket.writable) socket.write('x');
    }
    const waiting = sockets.filter((socket) => socket.writable).length;
    for (const socket of sockets) socket.destroy();
    return { 'sockets still sending at the end': waiting };
  },
};
