import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/**
 * Whether an approval confirms critical findings. The typed calls, by which people review, ask for it unless told; the documented API only if
 * it sends `false`.
 * @returns undefined: not asked
 */
export function confirmationOf(
  { transport }: Pick<RequestContext, 'transport'>,
  said: boolean | undefined,
): boolean | undefined {
  return transport === 'rpc' ? (said ?? false) : said;
}

/** The refusal of an approval whose critical findings nobody has confirmed. `findings` travel with it over `/trpc`. */
export class UnconfirmedFindings extends AppError {
  readonly findings: readonly unknown[];
  constructor(what: string, findings: readonly unknown[]) {
    super(
      'critical_findings',
      `${what} has critical findings; fix them, or confirm them with confirm_critical: true`,
      { present: { critical_findings: findings } },
    );
    this.findings = findings;
  }
}

/** The refusal of an approval of several items: the caller has not opened this one, and has not named it by itself. */
export class Unopened extends AppError {
  constructor(what: string) {
    super('conflict', `${what} was not opened; open it, or name it by itself`);
  }
}

/** Whether approving several items leaves this one out, and why. */
export function leftOutOf(error: unknown) {
  if (error instanceof Unopened) return { reason: 'unopened', critical_findings: [] } as const;
  if (error instanceof UnconfirmedFindings)
    return { reason: 'critical_findings', critical_findings: error.findings } as const;
  return undefined;
}
