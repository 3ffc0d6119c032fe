import type { RestProcedure } from '#rest/procedures.ts';
import type { GuardName } from '#server/context.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type Answer, viaRest, viaRpc } from '../call.ts';
import { type Caller, callers } from './callers.ts';
import type { GuardFixture } from './guard-fixture.ts';
import type { Probe } from './probes.ts';
import { verdicts } from './verdicts.ts';

export type Transport = 'REST' | '/trpc';
/** The response to each caller, by the caller's name. */
type Responses = Record<string, string>;

/** The expected response to each caller of a procedure under `guard`. */
export function expectedOf(guard: GuardName, probe: Probe, transport: Transport): Responses {
  return Object.fromEntries(
    callers.map((caller) => [caller.name, expectedBy(caller, guard, probe, transport)]),
  );
}

function expectedBy(
  { kind, withoutCookie }: Caller,
  guard: GuardName,
  probe: Probe,
  transport: Transport,
): string {
  const seen = transport === '/trpc' ? (withoutCookie ?? kind) : kind;
  const verdict = verdicts[guard][seen] ?? verdicts[guard].otherwise;
  const { in: inside = '200', abroad = inside, operator = abroad } = probe;
  const expected = { in: inside, abroad, operator }[verdict as 'in'] ?? verdict;
  // tRPC has no status but 200 for a success.
  return transport === '/trpc' && expected === '204' ? '200' : expected;
}

/** Calls a procedure as every caller, one after the other. */
export async function callAsEverybody(
  at: Pick<TestApp, 'request'>,
  fixture: GuardFixture,
  procedure: RestProcedure,
  probe: Probe,
  transport: Transport,
): Promise<Responses> {
  const call = transport === 'REST' ? viaRest : viaRpc;
  const responses: Responses = {};
  for (const { name, headers } of callers) {
    const input = (await probe.input?.(fixture)) ?? {};
    responses[name] = inShort(await call(at, procedure, { input, headers: headers(fixture) }));
    await probe.restore?.(fixture);
  }
  return responses;
}

export function inShort({ status, body }: Answer): string {
  return status < 300 ? `${status}` : `${status} ${body?.detail}`;
}
