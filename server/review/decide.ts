import type { RequestContext, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { eachItem, type ItemRefusal } from '#server/http/bulk.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { openedBy } from './claims.ts';
import type { ReviewItem } from './schema.ts';

/**
 * Whether an approval confirms critical issues. On `/trpc`, which reviewers use, a confirmation is required by default;
 * in the documented API only if the request sends `false`.
 * @returns undefined if no confirmation is required
 */
export function confirmationOf(
  { transport }: Pick<RequestContext, 'transport'>,
  said: boolean | undefined,
): boolean | undefined {
  return transport === 'rpc' ? (said ?? false) : said;
}

/** The confirmations of an approval. */
export interface Confirmations {
  /** Whether the reviewer confirms the critical issues; undefined if no confirmation is required. */
  confirmCritical?: boolean | undefined;
  /** Whether the reviewer approves several items and has not opened this one. */
  isUnopened?: boolean;
  /** Since when others must not have changed the item, because the reviewer opened it then. */
  openedAt?: Date | undefined;
}

/** The error of an approval that does not confirm the critical issues. On `/trpc`, it includes `findings`. */
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

/**
 * The error of an item in an approval of several items: the caller has not opened this item as it is, and has not named
 * it explicitly.
 */
export class Unopened extends AppError {
  constructor(what: string) {
    super('conflict', `${what} was not opened; open it first, or confirm it with confirm_unopened`);
  }
}

/** The request that makes several decisions. */
export interface DecidingContext extends Origin {
  services: Pick<Services, 'log'>;
  withTenant: WithTenant;
  requestId: string;
}

/** The result of one of several decisions. `id` is the field that names the item. */
type Outcome<Id, Done, Found> = Id &
  (
    | ({ outcome: 'done' } & Done)
    | ({ outcome: 'refused' } & ItemRefusal)
    | { outcome: 'left_out'; reason: 'unopened' | 'critical_findings'; critical_findings: Found[] }
  );

/**
 * Makes several decisions, each like a separate request. If one is rejected, the others are still made. An approval of an
 * item that the caller has not opened, or that has critical issues, is skipped unless the request confirms this item
 * explicitly.
 * @returns the result of each decision, in the order of the requests
 * @throws AppError 401 if the caller is not authenticated at the beginning. If the session ends later, the remaining
 *   decisions are rejected.
 */
export async function decideEach<Request, Id, Done, Found>(
  { services, withTenant, requestId }: DecidingContext,
  kind: ReviewItem['kind'],
  requests: readonly Request[],
  steps: {
    idOf(request: Request): string;
    named(id: string): Id;
    /** @throws Unopened; UnconfirmedFindings */
    decide(request: Request, openedAt: Date | undefined): Promise<Done>;
    foundBy(error: UnconfirmedFindings): Found[];
  },
): Promise<Outcome<Id, Done, Found>[]> {
  const { idOf, named, decide, foundBy } = steps;
  const ids = requests.map(idOf);
  const opened = await withTenant((tx, principal) => openedBy(tx, principal, kind, ids));
  return eachItem<Request, Outcome<Id, Done, Found>>({ services, requestId }, requests, {
    async work(request) {
      const id = idOf(request);
      try {
        return { outcome: 'done', ...named(id), ...(await decide(request, opened.get(id))) };
      } catch (error) {
        if (error instanceof Unopened)
          return { outcome: 'left_out', ...named(id), reason: 'unopened', critical_findings: [] };
        if (!(error instanceof UnconfirmedFindings)) throw error;
        const critical_findings = foundBy(error);
        return { outcome: 'left_out', ...named(id), reason: 'critical_findings', critical_findings };
      }
    },
    refuse: (request, refusal) => ({ outcome: 'refused', ...named(idOf(request)), ...refusal }),
  });
}
