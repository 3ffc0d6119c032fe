import { connect, type Socket } from 'node:net';

/** Opens a connection that reads nothing until the test reads from it. It ignores connection resets. */
export function openUnread(address: string): Socket {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).pause();
  return socket.on('error', () => {});
}

/** The text of an HTTP request. */
export function requestText(
  method: string,
  path: string,
  headers: Record<string, string | number> = {},
  body = '',
): string {
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
