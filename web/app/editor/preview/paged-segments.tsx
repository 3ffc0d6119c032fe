import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { client } from '../../client.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { queryKeys } from '../../query-keys.ts';
import { pageOfPosition, useOutline } from '../outline.ts';
import type { Outline, Segment } from '../segment-filter.ts';
import { indexOf } from '../use-segments.ts';
import type { PreviewProps } from './preview-props.ts';

/** The number of segments on one page of the preview. */
const pageSize = 500;

type Page = Outline['pages'][number] & { page: number };

interface Props extends PreviewProps {
  /** The name of a page, such as a sheet; undefined for a file that has only one. */
  label: MessageId | undefined;
  /** Shows segments in the language of the file. */
  children: (segments: readonly Segment[], language: string) => ReactNode;
}

/** Shows the segments of one sheet or slide, and changes to that of the current segment. */
export function PagedSegments(props: Props) {
  const outline = useOutline(props.document.id);
  return (
    <Read from={outline} lines={20}>
      {(found) => {
        const pages = found.pages.filter((page): page is Page => page.page !== null);
        if (pages.length === 0) return null;
        return <Pages {...props} pages={pages} pageOfCurrent={pageOfPosition(found, props.current)} />;
      }}
    </Read>
  );
}

function Pages({
  pages,
  pageOfCurrent,
  label,
  document,
  side,
  current,
  children,
}: Props & { pages: readonly Page[]; pageOfCurrent: number | undefined }) {
  const t = useT();
  const { number } = useFormat();
  const [page, setPage] = useState(pages[0]?.page ?? 1);
  const [offset, setOffset] = useState(0);
  const found = useQuery({
    queryKey: queryKeys.documents.cells(document.id, page, offset),
    queryFn: () => client.documents.search({ document_id: document.id, page, offset, limit: pageSize }),
    placeholderData: keepPreviousData,
  });
  const isShown = useEffectEvent(() => found.data?.segments.some(({ position }) => position === current));
  useEffect(() => {
    if (current === null || pageOfCurrent === undefined || isShown()) return;
    let isLate = false;
    void indexOf(document.id, { page: pageOfCurrent }, current).then(
      (index) => {
        if (isLate || index === undefined) return;
        setPage(pageOfCurrent);
        setOffset(index - (index % pageSize));
      },
      () => {},
    );
    return () => {
      isLate = true;
    };
  }, [document.id, pageOfCurrent, current]);
  const { source_lang, target_lang } = document.request;
  const show = (nextPage: number, nextOffset: number) => {
    setPage(nextPage);
    setOffset(nextOffset);
  };
  return (
    <>
      {label && (
        <label className="check">
          {t(label)}
          <select value={page} onChange={({ target }) => show(Number(target.value), 0)}>
            {pages.map((one) => (
              <option key={one.page} value={one.page} translate="no">
                {one.sheet ?? one.page}
              </option>
            ))}
          </select>
        </label>
      )}
      <Read from={found} lines={20}>
        {({ segments, total, first_index: first }) => (
          <>
            {children(segments, side === 'source' ? source_lang : target_lang)}
            {total > pageSize && (
              <div className="actions">
                <button
                  type="button"
                  className="small"
                  disabled={first === 0}
                  onClick={() => show(page, Math.max(0, first - pageSize))}
                >
                  {t('documents.cells_before')}
                </button>
                <span>
                  {t('documents.cells_shown', {
                    first: number(first + 1),
                    last: number(first + segments.length),
                    total: number(total),
                  })}
                </span>
                <button
                  type="button"
                  className="small"
                  disabled={first + segments.length >= total}
                  onClick={() => show(page, first + pageSize)}
                >
                  {t('documents.cells_after')}
                </button>
              </div>
            )}
          </>
        )}
      </Read>
    </>
  );
}
