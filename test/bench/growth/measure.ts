import { Client } from 'undici';
import { latencyOf, measureRate, requirePremise } from '../load.ts';
import { type Measured, measured, nearSource, type Sent } from './requests.ts';
import type { Side } from './side.ts';

/** A request's medians in milliseconds, side by side. */
export interface Line {
  name: string;
  medians: number[];
}

/** First calls of each request that are not measured: plans are made, code is compiled. */
const warmUps = ({ rounds }: Measured) => (rounds < 20 ? 3 : 8);

/** Milliseconds that one request may take over all of its rounds; at the least it is sent five times. */
const longest = 15_000;

/** Sends each request over one connection to each side, alternating. */
export async function measureRequests(
  sides: readonly Side[],
  print: (line: string) => void,
  only: (request: Measured) => boolean = () => true,
): Promise<Line[]> {
  const clients = sides.map((side) => new Client(side.address()));
  const lines: Line[] = [];
  try {
    for (const request of measured.filter(only)) {
      const took = sides.map((): number[] => []);
      const rounds = request.rounds + warmUps(request);
      const start = performance.now();
      for (let turn = 0; turn < rounds; turn++) {
        if (took[0]!.length >= 5 && performance.now() - start > longest) break;
        for (const [index, side] of sides.entries()) {
          const sent = await request.request(side, turn);
          const ms = await time(clients[index]!, sent, request);
          if (turn >= warmUps(request) || performance.now() - start > longest) took[index]!.push(ms);
        }
      }
      const line = { name: request.name, medians: took.map((values) => latencyOf(values).p50) };
      lines.push(line);
      print(show(line));
    }
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
  return lines;
}

async function time(client: Client, sent: Sent, { name, firstByte, contains }: Measured): Promise<number> {
  const { method = 'GET', path, headers, json, form } = sent;
  const start = performance.now();
  const { statusCode, body } = await client.request({
    method: method as 'GET',
    path,
    headers: {
      ...headers,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(form && { body: new URLSearchParams(form).toString() }),
  });
  let first: number | undefined;
  let text = '';
  for await (const chunk of body) {
    first ??= performance.now() - start;
    if (statusCode !== 200 || contains) text += chunk;
  }
  if (statusCode !== 200) throw new Error(`${name}: ${method} ${path} answered ${statusCode} ${text}`);
  const took = performance.now() - start;
  if (contains) requirePremise(text.includes(contains), `${name}: «${contains}» in ${text.slice(0, 500)}`);
  return firstByte ? (first ?? 0) : took;
}

/** Submissions with close matches from 16 connections at once, the sides one after the other, twice. */
export async function measureTogether(sides: readonly Side[], seconds: number): Promise<Line> {
  const took = sides.map((): number[] => []);
  for (let round = 0; round < 2; round++)
    for (const [index, side] of sides.entries()) {
      const clients = Array.from({ length: 16 }, () => new Client(side.address()));
      let turn = round * 10_000;
      const { p50 } = await measureRate(16, seconds, async (loop) => {
        const json = { source_text: nearSource(side, turn++), source_lang: 'en', target_lang: 'fr' };
        const { statusCode, body } = await clients[loop]!.request({
          method: 'POST',
          path: '/api/translations',
          headers: { 'x-api-key': side.apiKey, 'content-type': 'application/json' },
          body: JSON.stringify(json),
        });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(`a job answered ${statusCode} ${text}`);
      });
      took[index]!.push(p50);
      await Promise.all(clients.map((client) => client.close()));
    }
  return {
    name: 'POST, close matches, 16 connections',
    medians: took.map((values) => latencyOf(values).p50),
  };
}

export function show({ name, medians }: Line): string {
  const [small, large] = medians as [number, number];
  const missed = large / small > 1.3 || large > 50 ? '   (missed)' : '';
  return `${name.padEnd(52)} ${ms(small)} ${ms(large)}   ${(large / small).toFixed(2)}${missed}`;
}

const ms = (value: number) => `${value.toFixed(2).padStart(9)} ms`;
