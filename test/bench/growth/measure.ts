import { Client } from 'undici';
import type { Run } from '../bench.ts';
import { measureRate, median, requirePremise, seconds } from '../load.ts';
import { submitText } from '../service.ts';
import { type Measured, measured, nearSource, type Sent } from './requests.ts';
import type { Workspace } from './workspace.ts';

/** The number of requests before the measurement, in which plans are made and code is compiled. */
const warmUps = ({ rounds }: Measured) => (rounds < 20 ? 3 : 8);

/** Maximum milliseconds for all rounds of a request. Each request is sent at least five times. */
const longest = 20_000;

/**
 * Sends each request for each workspace over one connection. The workspaces alternate; each belongs to another
 * deployment.
 * @returns for each request whether it reaches the targets
 */
export async function measureRequests(
  run: Run,
  title: string,
  workspaces: readonly Workspace[],
  only: (request: Measured) => boolean = () => true,
): Promise<boolean[]> {
  const clients = workspaces.map((workspace) => new Client(workspace.address()));
  const reached: boolean[] = [];
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
      reached.push(report(run, `${title}: ${request.name}`, workspaces, took));
    }
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
  return reached;
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
export async function measureTogether(run: Run, workspaces: readonly Workspace[]): Promise<boolean[]> {
  const took = workspaces.map((): number[] => []);
  for (let round = 0; round < 2; round++)
    for (const [index, workspace] of workspaces.entries()) {
      const target = { address: workspace.address(), apiKey: workspace.apiKey };
      const clients = Array.from({ length: 16 }, () => new Client(target.address));
      let turn = round * 10_000;
      const { p50 } = await measureRate(16, seconds, (loop) =>
        submitText(target, { source_text: nearSource(workspace, turn++), source_lang: 'en' }, clients[loop]!),
      );
      took[index]!.push(p50);
      await Promise.all(clients.map((client) => client.close()));
    }
  return [report(run, 'biggest: POST, fuzzy matches, 16 connections', workspaces, took)];
}

/** Reports medians, and their ratios to the first one. @returns whether they reach the targets */
function report(
  run: Run,
  what: string,
  workspaces: readonly Workspace[],
  took: readonly number[][],
): boolean {
  const medians = took.map(median);
  for (const [at, ms] of medians.entries()) {
    const title = `${what}, ${workspaces[at]!.deployment.sizes.jobs} jobs`;
    run.figure(title, ms, 'ms', { most: 50 });
    if (at > 0) run.figure(`${title} / the smallest`, ms / medians[0]!, '', { most: 1.3 });
  }
  return medians.every((ms) => ms <= 50 && ms / medians[0]! <= 1.3);
}
