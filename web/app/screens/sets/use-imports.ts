import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { queryKeys } from '../../query-keys.ts';

/** Loads all TMs, because there are few. */
export function useMemories() {
  return useQuery({ queryKey: queryKeys.memory.sets, queryFn: () => client.memory.list() });
}

/** Polls the background imports while one is running. When one ends, the TMs are reloaded. */
export function useImports() {
  const t = useT();
  const queries = useQueryClient();
  const imports = useQuery({
    queryKey: queryKeys.memory.imports,
    queryFn: () => client.memory.imports(),
    // Most imports take seconds to minutes. If an import takes longer, it is polled less often.
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.some(({ status }) => status === 'running')
        ? Math.min(1000 + 250 * dataUpdateCount, 10_000)
        : false,
  });
  /** The running imports at the last poll. */
  const running = useRef<ReadonlySet<string>>(new Set());
  const { data } = imports;
  useEffect(() => {
    if (!data) return;
    const ended = data.filter(({ id, status }) => status !== 'running' && running.current.has(id));
    running.current = new Set(data.filter(({ status }) => status === 'running').map(({ id }) => id));
    for (const { set_name: name, status } of ended)
      announce(t(status === 'failed' ? 'sets.import_broke' : 'sets.import_ended', { name }));
    if (ended.length > 0) void queries.invalidateQueries({ queryKey: queryKeys.memory.sets });
  }, [data, queries, t]);
  return imports;
}
