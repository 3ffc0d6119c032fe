import { type ReactNode, useEffect, useState } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import { Problem } from './problem.tsx';

/** Shown after 200 ms, to avoid flashing. It takes the space of the following content (`lines`), so that nothing jumps. */
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

/** The part of a query's result that determines what is shown. */
interface Reading<T> {
  data: T | undefined;
  error: unknown;
  refetch(): unknown;
}

/**
 * Shows the data, a loading state, or an error. Earlier data stays while it is reloaded; if that fails, the error is shown
 * above it.
 * @param heading shown before data arrives, for a screen whose heading comes from the data
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

/** The title and heading of a screen whose subject is not loaded. */
export function Heading({ of }: { of: MessageId }) {
  const t = useT();
  return (
    <>
      <title>{`${t(of)} · LinguaLoop`}</title>
      <h1>{t(of)}</h1>
    </>
  );
}
