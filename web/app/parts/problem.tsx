import type { ErrorComponentProps } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import { IdempotencyMismatchError } from '#sdk/outcome-errors.ts';
import { type Translate, useT } from '../i18n.tsx';
import { useOnline } from './offline.tsx';
import { detailOf, wordsOf } from './problem-words.ts';

/** Not a part of the first load, because it asks who the member is: the sign-in shows errors, too. */
const PlanLink = lazy(async () => ({ default: (await import('./plan-link.tsx')).PlanLink }));

/**
 * Shows an error in the words of the interface, which name the next step. The service's own message, in English, and the
 * request ID for support are behind "Details". The actions are: retry, if a retry can succeed, after the wait that the
 * service requests; pay.
 * @param retry undefined if a retry makes no sense
 */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const t = useT();
  const known = error instanceof LinguaLoopError ? error : undefined;
  const left = useCountdown(known);
  // Renders again when the browser goes offline or online: the text for a missing response depends on this.
  useOnline();
  const mayRetry = retry && mayHelp(known);
  return (
    <div role="alert" className="problem">
      <p>{problemText(error, t)}</p>
      {known?.status === 402 && (
        <p>
          <Suspense>
            <PlanLink />
          </Suspense>
        </p>
      )}
      {mayRetry && (
        <button type="button" onClick={retry} disabled={left > 0}>
          {left > 0 ? t('common.retry_in', { seconds: left }) : t('common.retry')}
        </button>
      )}
      {known && known.status !== null && <Details key={known.requestId} of={known} />}
    </div>
  );
}

/**
 * The service's message and the request ID. They are open at first if the text of the interface cannot say what exactly
 * is wrong. A closed message is not in the page, so that searching the page finds only what is visible.
 */
function Details({ of }: { of: LinguaLoopError }) {
  const t = useT();
  const [isOpen, setOpen] = useState(wordsOf(of).needsDetail && excessText(of, t) === undefined);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('problems.details')}</summary>
      {isOpen && (
        <>
          {/* The message may quote a member's text, in any direction. */}
          <p dir="auto" lang="en" translate="no">
            {detailOf(of)}
          </p>
          {of.requestId && (
            <p className="hint">
              {t('common.request_id')} <bdi translate="no">{of.requestId}</bdi>
            </p>
          )}
        </>
      )}
    </details>
  );
}

/** Describes an error in one line, in the words of the interface. The text never includes the rejected value. */
export function problemText(error: unknown, t: Translate): string {
  if (!(error instanceof LinguaLoopError)) return t('common.unexpected');
  if (error instanceof IdempotencyMismatchError) return t('common.sent_differently');
  if (error.status === null) return navigator.onLine ? t('common.unreachable') : t('common.offline_unsent');
  return excessText(error, t) ?? t(wordsOf(error).id);
}

/** The exceeded limit as text; undefined for other errors. Bytes are shown as MB. */
function excessText({ limit, actual, unit }: LinguaLoopError, t: Translate): string | undefined {
  if (limit === null) return undefined;
  const scale = unit === 'bytes' ? 1_000_000 : 1;
  const most = { limit: limit / scale };
  const values = actual === null ? most : { ...most, actual: actual / scale };
  const known = actual !== null;
  if (unit === 'items') return t(known ? 'common.over_items' : 'common.most_items', values);
  if (unit === 'characters') return t(known ? 'common.over_characters' : 'common.most_characters', values);
  if (unit === 'bytes') return t(known ? 'common.over_bytes' : 'common.most_bytes', values);
  return undefined;
}

/** The error of one field in a 422, by its `loc` or the first word of the message; undefined if that field is valid. */
export function fieldProblem(error: unknown, field: string): string | undefined {
  if (!(error instanceof LinguaLoopError)) return undefined;
  if (typeof error.detail === 'string')
    return error.status === 422 && error.detail.startsWith(`${field} `) ? error.detail : undefined;
  return error.detail.find(({ loc }) => loc.includes(field))?.msg;
}

function mayHelp(error: LinguaLoopError | undefined): boolean {
  if (!error || error.status === null) return true;
  return error.status === 429 || error.status >= 500;
}

/** Seconds until the service accepts another attempt. */
function useCountdown(error: LinguaLoopError | undefined): number {
  const [left, setLeft] = useState(error?.retryAfter ?? 0);
  useEffect(() => {
    const until = Date.now() + (error?.retryAfter ?? 0) * 1000;
    const update = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    update();
    const timer = setInterval(update, 500);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}

/** Shown instead of a screen that failed. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <main className="narrow">
      <Problem error={error} retry={reset} />
    </main>
  );
}
