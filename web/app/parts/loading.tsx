import { type ReactNode, useEffect, useState } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import { Problem } from './problem.tsx';

/**
 * A loading message that appears after 200 ms, to avoid flashing. It reserves `lines` lines for the content that
 * follows, so that the page does not jump.
 */
export function Loading({ lines = 3 }: { lines?: number }) {
  const t = useT();
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="loading" aria-busy="true" style={{ minBlockSize: `${lines * 1.6}rem` }}>
      {isSlow && <p>{t('common.loading')}</p>}
    </div>
  );
}

/** The fields of a query's result that determine what is shown. */
interface Reading<T> {
  data: T | undefined;
  error: unknown;
  refetch(): unknown;
}

/**
 * Shows the data of a query, a loading message, or an error. During a reload, the previous data stays; if the reload
 * fails, the error appears above the data.
 * @param heading shown until data arrives, for a screen whose heading is part of the data
 */
export function Read<T>({
  from: { data, error, refetch },
  lines,
  heading,
  children,
}: {
  from: Reading<T>;
  lines?: number;
  heading?: MessageId;
  children: (data: T) => ReactNode;
}) {
  const problem = error ? <Problem error={error} retry={() => void refetch()} /> : null;
  if (data === undefined)
    return (
      <>
        {heading && <Heading of={heading} />}
        {problem ?? <Loading {...(lines && { lines })} />}
      </>
    );
  return (
    <>
      {problem}
      {children(data)}
    </>
  );
}

/** The title and heading of a screen until its data is loaded. */
export function Heading({ of }: { of: MessageId }) {
  const t = useT();
  return (
    <>
      <title>{`${t(of)} · LinguaLoop`}</title>
      <h1>{t(of)}</h1>
    </>
  );
}
