import { Client } from 'undici';
import { latencyOf, measureRate, requirePremise } from '../load.ts';
import { type Measured, measured, nearSource, type Sent } from './requests.ts';
import type { Workspace } from './workspace.ts';

/** The medians of a request in milliseconds, one for each workspace. */
export interface Line {
  name: string;
  medians: number[];
}

/** The number of requests before the measurement, in which plans are made and code is compiled. */
const warmUps = ({ rounds }: Measured) => (rounds < 20 ? 3 : 8);

/** Maximum milliseconds for all rounds of a request. Each request is sent at least five times. */
const longest = 20_000;

/**
 * Sends each request for each workspace over one connection. The workspaces alternate; each belongs to another
 * deployment.
 */
export async function measureRequests(
  workspaces: readonly Workspace[],
  print: (line: string) => void,
  only: (request: Measured) => boolean = () => true,
): Promise<Line[]> {
  const clients = workspaces.map((workspace) => new Client(workspace.address()));
  const lines: Line[] = [];
  try {
    for (const request of measured.filter(only)) {
      const took = workspaces.map((): number[] => []);
      const rounds = request.rounds + warmUps(request);
      const start = performance.now();
      for (let turn = 0; turn < rounds; turn++) {
        if (took[0]!.length >= 5 && performance.now() - start > longest) break;
        for (const [index, workspace] of workspaces.entries()) {
          const sent = await request.request(workspace, turn);
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

/**
 * Submits texts with fuzzy matches over 16 connections at the same time. The workspaces are measured one after the
 * other, twice.
 */
export async function measureTogether(workspaces: readonly Workspace[], seconds: number): Promise<Line> {
  const took = workspaces.map((): number[] => []);
  for (let round = 0; round < 2; round++)
    for (const [index, workspace] of workspaces.entries()) {
      const clients = Array.from({ length: 16 }, () => new Client(workspace.address()));
      let turn = round * 10_000;
      const { p50 } = await measureRate(16, seconds, async (loop) => {
        const json = { source_text: nearSource(workspace, turn++), source_lang: 'en', target_lang: 'fr' };
        const { statusCode, body } = await clients[loop]!.request({
          method: 'POST',
          path: '/api/translations',
          headers: { 'x-api-key': workspace.apiKey, 'content-type': 'application/json' },
          body: JSON.stringify(json),
        });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(`a job answered ${statusCode} ${text}`);
      });
      took[index]!.push(p50);
      await Promise.all(clients.map((client) => client.close()));
    }
  return {
    name: 'POST, fuzzy matches, 16 connections',
    medians: took.map((values) => latencyOf(values).p50),
  };
}

export const maxRatio = 1.3;
const maxMs = 50;

/** Formats the medians, and their ratios to the first one. */
export function show({ name, medians }: Line): string {
  const [first = 0, ...others] = medians;
  const ratios = others.map((median) => median / first);
  const missed = [
    ...(ratios.some((ratio) => ratio > maxRatio) ? [`over ${maxRatio}`] : []),
    ...(medians.some((median) => median > maxMs) ? [`over ${maxMs} ms`] : []),
  ].join(', ');
  return `${name.padEnd(nameWidth)}${medians.map(ms).join('')}${ratios.map((ratio) => ratio.toFixed(2).padStart(7)).join('')}${missed && `   (${missed})`}`;
}

const nameWidth = 58;

/** The heading of the lines that `show` formats. */
export function heading(title: string, jobs: readonly number[], ratios = true): string {
  const [, ...others] = jobs;
  return `\n${title.padEnd(nameWidth)}${jobs.map((count) => `${short(count)} jobs`.padStart(12)).join('')}${ratios ? others.map((count) => short(count).padStart(7)).join('') : ''}`;
}

const short = (count: number) =>
  count >= 1_000_000 ? `${count / 1_000_000}M` : count >= 1000 ? `${count / 1000}k` : String(count);

const ms = (value: number) => `${value.toFixed(2)} ms`.padStart(12);
