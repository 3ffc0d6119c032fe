import { type ReactNode, useEffect } from 'react';

/**
 * Shows what the service tells once, until the person says that it is kept. The browser asks before the page is left with it.
 * @param words of the button that ends it
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
