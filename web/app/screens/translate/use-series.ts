import { useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { queryKeys } from '../../query-keys.ts';
import { translationService } from '../../translation-service.ts';
import { Series } from './series.ts';

/** Milliseconds between polls for the jobs of a running series. */
const lookEvery = 2000;

/**
 * A series of this screen; the component is rendered again when the series changes.
 * @param prepare called once with the new series
 */
export function useSeries(prepare?: (series: Series) => void) {
  const [{ series, subscribe }] = useState(() => {
    const listeners = new Set<() => void>();
    const created = new Series(translationService, () => {
      for (const listener of listeners) listener();
    });
    prepare?.(created);
    return {
      series: created,
      subscribe(listener: () => void) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
  });
  const view = useSyncExternalStore(subscribe, () => series.view);
  useSeriesPolling([series]);
  return { series, ...view };
}

/** Polls the list of jobs while at least one of the series runs. */
export function useSeriesPolling(series: readonly Series[]): void {
  const running = series.filter(({ view }) => view.state === 'running');
  useQuery({
    queryKey: queryKeys.jobs.series(running.map(({ key }) => key).join()),
    async queryFn() {
      const { items } = await translationService.listPage({ limit: 60 });
      for (const one of running) one.take(items);
      return null;
    },
    enabled: running.length > 0,
    staleTime: 0,
    refetchInterval: lookEvery,
  });
}
