import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import { IdempotencyMismatchError } from '#sdk/outcome-errors.ts';
import { deployment } from '../deployment.ts';
import { type Translate, useT } from '../i18n.tsx';
import { useOnline } from './offline.tsx';

/**
 * Shows an error: the service's message, the request ID for support, and possible actions. The actions are: retry, if a
 * retry can succeed, after the wait that the service requests; pay; reconnect.
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
      {/* The service's message may quote a member's text, in any direction. */}
      <p dir="auto">{problemText(error, t)}</p>
      {known?.requestId && (
        <p className="hint">
          {t('common.request_id')} <bdi translate="no">{known.requestId}</bdi>
        </p>
      )}
      {known?.status === 402 && (
        <p>
          <a href={`${deployment.basePath}/billing`}>{t('common.open_billing')}</a>
        </p>
      )}
      {mayRetry && (
        <button type="button" onClick={retry} disabled={left > 0}>
          {left > 0 ? t('common.retry_in', { seconds: left }) : t('common.retry')}
        </button>
      )}
    </div>
  );
}

/** Describes an error in one line. The text never includes the rejected value. */
export function problemText(error: unknown, t: Translate): string {
  if (!(error instanceof LinguaLoopError)) return t('common.unexpected');
  if (error instanceof IdempotencyMismatchError) return t('common.sent_differently');
  if (error.status === null) return navigator.onLine ? t('common.unreachable') : t('common.offline');
  const excess = excessText(error, t);
  if (excess) return excess;
  if (typeof error.detail === 'string') return [error.detail, error.hint].filter(Boolean).join('; ');
  return error.detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
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

/** The error of one field in a 422, by the last part of its `loc`; undefined if that field is valid. */
export function fieldProblem(error: unknown, field: string): string | undefined {
  if (!(error instanceof LinguaLoopError) || typeof error.detail === 'string') return undefined;
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
