import { useRef, useState } from 'react';

/** A list of changes, the latest last. The third value always has the present list, also in older closures. */
export function useStack<T>() {
  const [list, show] = useState<readonly T[]>([]);
  const now = useRef(list);
  const [change] = useState(() => (next: (before: readonly T[]) => readonly T[]) => {
    now.current = next(now.current);
    show(now.current);
  });
  return [list, change, now] as const;
}
