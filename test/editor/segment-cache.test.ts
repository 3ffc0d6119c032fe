import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { storeSegments } from '#web/app/editor/segment-cache.ts';
import { queryKeys } from '#web/app/query-keys.ts';

const segment = (target_text: string) => ({ position: 0, target_text });
const pageOf = (text: string) => ({ total: 1, first_index: 0, segments: [segment(text)] });

test('a response that was made before a change of its segments is not shown, and the page is requested again', async () => {
  const queries = new QueryClient();
  const queryKey = queryKeys.documents.segments('document', {}, 0);
  queries.setQueryData(queryKey, pageOf('before'));
  const responses: ((page: object) => void)[] = [];
  const queryFn = () => new Promise<object>((resolve) => responses.push(resolve));
  void queries.fetchQuery({ queryKey, queryFn, staleTime: 0 }).catch(() => undefined);
  expect(responses).toHaveLength(1);
  storeSegments(queries, 'document', [segment('after')] as never);
  responses[0]?.(pageOf('before'));
  await new Promise((resolve) => setTimeout(resolve));
  expect(queries.getQueryData(queryKey)).toEqual(pageOf('after'));
  expect(responses).toHaveLength(2);
  responses[1]?.(pageOf('latest'));
  await expect.poll(() => queries.getQueryData(queryKey)).toEqual(pageOf('latest'));
});
