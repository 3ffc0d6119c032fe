import { type ReactNode, useEffect, useState } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import { Problem } from './problem.tsx';

/** Shown after 200 ms, so that what comes quickly does not flash. It takes the room of what follows (`lines`), so nothing jumps. */
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

/** The part of a query's result that decides what is shown. */
interface Reading<T> {
  data: T | undefined;
  error: unknown;
  refetch(): unknown;
}

/**
 * Shows what was read, or that it is loading, or why it could not be read. Data that was read before stays while it is read again,
 * and if that fails, the problem stands above it.
 * @param heading of a screen that has its own one from the data, as long as there is none
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

/** The title and the heading of a screen where what it would be about is not known. */
export function Heading({ of }: { of: MessageId }) {
  const t = useT();
  return (
    <>
      <title>{`${t(of)} · LinguaLoop`}</title>
      <h1>{t(of)}</h1>
    </>
  );
}
