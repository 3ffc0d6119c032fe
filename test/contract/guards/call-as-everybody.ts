import type { RestProcedure } from '#rest/procedures.ts';
import type { GuardName } from '#server/context.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type Answer, viaRest, viaRpc } from '../call.ts';
import { type Caller, callers } from './callers.ts';
import type { Stage } from './guard-fixture.ts';
import type { Probe } from './probes.ts';
import { verdicts } from './verdicts.ts';

export type Door = 'REST' | '/trpc';
/** The answer to each caller, by the caller's name. */
type ToldEverybody = Record<string, string>;

/** The expected answer to each caller of a procedure under `guard`. */
export function expectedOf(guard: GuardName, probe: Probe, door: Door): ToldEverybody {
  return Object.fromEntries(callers.map((caller) => [caller.name, expectedBy(caller, guard, probe, door)]));
}

function expectedBy({ kind, withoutCookie }: Caller, guard: GuardName, probe: Probe, door: Door): string {
  const seen = door === '/trpc' ? (withoutCookie ?? kind) : kind;
  const verdict = verdicts[guard][seen] ?? verdicts[guard].otherwise;
  const { in: inside = '200', abroad = inside, operator = abroad } = probe;
  const told = { in: inside, abroad, operator }[verdict as 'in'] ?? verdict;
  // tRPC has no status but 200 for a success.
  return door === '/trpc' && told === '204' ? '200' : told;
}

/** Calls a procedure as every caller, one after the other. */
export async function askEverybody(
  at: Pick<TestApp, 'request'>,
  stage: Stage,
  procedure: RestProcedure,
  probe: Probe,
  door: Door,
): Promise<ToldEverybody> {
  const call = door === 'REST' ? viaRest : viaRpc;
  const told: ToldEverybody = {};
  for (const { name, headers } of callers) {
    const input = (await probe.input?.(stage)) ?? {};
    told[name] = inShort(await call(at, procedure, { input, headers: headers(stage) }));
    await probe.restore?.(stage);
  }
  return told;
}

export function inShort({ status, body }: Answer): string {
  return status < 300 ? `${status}` : `${status} ${body?.detail}`;
}
