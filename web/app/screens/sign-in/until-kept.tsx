import { type ReactNode, useEffect } from 'react';

/**
 * Shows secrets that the service returns only once, until the member confirms that they are saved. The browser asks
 * before the page is left.
 * @param words label of the button
 */
export function UntilKept({
  words,
  onKept,
  children,
}: {
  words: string;
  onKept(): void;
  children: ReactNode;
}) {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  return (
    <>
      {children}
      <button type="button" className="primary" onClick={onKept}>
        {words}
      </button>
    </>
  );
}
