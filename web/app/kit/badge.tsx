import type { ReactNode } from 'react';

/** A short word about the state of a thing, or one of several of its properties. */
export function Badge({ tone, children }: { tone?: 'good' | 'waits' | 'bad'; children: ReactNode }) {
  return <span className={tone ? `badge ${tone}` : 'badge'}>{children}</span>;
}
