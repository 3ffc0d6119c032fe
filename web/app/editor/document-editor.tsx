import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, useCallback, useMemo, useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { useIsOthersTurn } from '../assignments/assignments.ts';
import { client } from '../client.ts';
import { loadWords, useT } from '../i18n.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { announce } from '../parts/announcer.tsx';
import { plainName } from '../parts/language-text.tsx';
import { lazily } from '../parts/lazily.tsx';
import { Loading, Read } from '../parts/loading.tsx';
import { queryKeys } from '../query-keys.ts';
import { isVisitor } from '../session/keeper.ts';
import { DocumentHead } from './document-head.tsx';
import { DocumentPanel } from './document-panel.tsx';
import { Editor } from './editor.tsx';
import { useSegmentFindings } from './finding-actions.ts';
import { FoundEdits } from './found-edits.tsx';
import { outlineQuery, useOutline } from './outline.ts';
import type { ReplaceDialogProps } from './replace-dialog.tsx';
import type { RowSource, SegmentCheck } from './row-source.ts';
import type { Segment, SegmentFilter } from './segment-filter.ts';
import { SegmentFilters } from './segment-filters.tsx';
import { plainOf, readContent } from './tagged-text.ts';
import { useClaim } from './use-claim.ts';
import { useDecisions } from './use-decisions.ts';
import { useOpenSegment } from './use-open-segment.ts';
import { segmentPage, useSegments } from './use-segments.ts';

const ReplaceDialog = lazily(async () => {
  const [dialog] = await Promise.all([import('./replace-dialog.tsx'), loadWords('tools')]);
  return dialog;
});
const DocumentNotices = lazily(() => import('./document-notices.tsx'));

/** Maximum length of a selection that is taken over as the sought text, in UTF-16 units. */
const maxSelection = 100;

/** Find and replace in the translations of a document: a command that opens a dialog, which is loaded at that time. */
function FindReplace(props: Omit<ReplaceDialogProps, 'sought' | 'onClose'>) {
  const [sought, setSought] = useState<string | null>(null);
  useCommands({ replaceText: () => setSought(selectedText() || (props.filter.text ?? '')) });
  if (sought === null) return null;
  return (
    <Suspense fallback={<Loading />}>
      <ReplaceDialog {...props} sought={sought} onClose={() => setSought(null)} />
    </Suspense>
  );
}

/** The selected text in the focused text field; empty if it is not suitable for a search. */
function selectedText(): string {
  const field = document.activeElement;
  if (!(field instanceof HTMLTextAreaElement)) return '';
  const selected = field.value.slice(field.selectionStart, field.selectionEnd);
  return selected.length <= maxSelection && !selected.includes('\n') ? selected : '';
}

const ApproveDialog = lazily(async () => {
  const [{ ApproveDialog: dialog }] = await Promise.all([
    import('./approve-dialog.tsx'),
    loadWords('assignments'),
  ]);
  return { default: dialog };
});

/** `/app/edit/documents/{id}`: the segments of a document, one of them open in its place. */
export function DocumentEditorScreen() {
  const { documentId } = useParams({ from: '/workspace/app/edit/documents/$documentId' });
  const document = useQuery({
    queryKey: queryKeys.documents.document(documentId),
    queryFn: () => client.documents.get(documentId),
  });
  // These load together with the document: over a slow connection, requests one after the other take a second.
  usePrefetchQuery(segmentPage(documentId, useFilter(documentId).filter, 0));
  usePrefetchQuery(outlineQuery(documentId));
  return (
    <Read from={document} lines={20} heading="documents.name">
      {(found) => <DocumentEditor key={found.id} document={found} />}
    </Read>
  );
}

function DocumentEditor({ document }: { document: TenantDocumentJob }) {
  const { id, source_file_name: name, status, approved_at: approvedAt, failure, warnings } = document;
  const { filter, setFilter } = useFilter(id);
  const { source, isReadOnly, isOthersTurn, opening, remember, others } = useDocumentRows(
    document,
    filter,
    setFilter,
  );
  const { saves, languages, outline } = source;
  const [isApproving, setApproving] = useState(false);
  // The version that the reviewer reads: what others change later was not seen.
  const [seen, setSeen] = useState(document.updated_at);
  return (
    <>
      <title>{`${plainName(name)} · LinguaLoop`}</title>
      <Editor
        source={source}
        head={
          <DocumentHead
            document={document}
            saves={saves}
            others={others}
            canApprove={!isOthersTurn && (approvedAt === null || document.changed_since_approval !== null)}
            onApprove={() => setApproving(true)}
          />
        }
        notices={
          <>
            {(status !== 'translated' || approvedAt || failure || warnings.length > 0) && (
              <Suspense>
                <DocumentNotices document={document} />
              </Suspense>
            )}
            {!isReadOnly && <FoundEdits opening={opening} saves={saves} />}
          </>
        }
        turn={status === 'translated' && !approvedAt ? { kind: 'document', id } : undefined}
        canReplace={!isReadOnly}
        hasPatterns
        filters={<SegmentFilters documentId={id} outline={outline} filter={filter} onChange={setFilter} />}
        empty={Object.keys(filter).length > 0 && <NoMatch documentId={id} />}
        renderPanel={(segment, field) => (
          <DocumentPanel
            hasPreview={source.rows.data !== undefined}
            document={document}
            segment={segment}
            languages={languages}
            outline={outline}
            field={field}
            saves={saves}
            onOpen={source.openAt}
            onFilter={setFilter}
          />
        )}
      />
      {!isReadOnly && (
        <FindReplace
          documentId={id}
          languages={languages}
          filter={filter}
          saves={saves}
          holders={source.holders}
          onChanged={remember}
        />
      )}
      {isApproving && (
        <Suspense>
          <ApproveDialog
            document={document}
            seen={seen}
            onSeen={setSeen}
            saves={saves}
            outline={outline}
            onDone={remember}
            onClose={() => setApproving(false)}
          />
        </Suspense>
      )}
    </>
  );
}

/** Shown if no segment matches the filters. */
function NoMatch({ documentId }: { documentId: string }) {
  const t = useT();
  return (
    <>
      {t('review.none_found')}{' '}
      <Link to="/app/edit/documents/$documentId" params={{ documentId }} search={{}} replace>
        {t('review.clear_filters')}
      </Link>
    </>
  );
}

/** The filter of the segments, which is part of the URL. */
function useFilter(documentId: string) {
  const navigate = useNavigate();
  const filter = useSearch({ from: '/workspace/app/edit/documents/$documentId' });
  const setFilter = useCallback(
    (search: SegmentFilter) =>
      void navigate({
        to: '/app/edit/documents/$documentId',
        params: { documentId },
        search,
        replace: true,
        resetScroll: false,
      }),
    [navigate, documentId],
  );
  return { filter, setFilter };
}

/**
 * The segments of a document as rows of the editor.
 * @returns `others`: the names of colleagues in the document; `opening` and `remember`: see `useDecisions`
 */
function useDocumentRows(
  { id, request, status, approved_at }: TenantDocumentJob,
  filter: SegmentFilter,
  onFilter: (filter: SegmentFilter) => void,
) {
  const languages = useMemo(
    () => ({ source: request.source_lang, target: request.target_lang }),
    [request.source_lang, request.target_lang],
  );
  const check = useMemo(() => checkOf(id), [id]);
  const { saves, opening, remember, ...decisions } = useDecisions(id, request.target_lang);
  const findingsOf = useSegmentFindings(id, saves);
  const { data: outline } = useOutline(id);
  const [visible, onVisible] = useState<readonly [number, number]>([0, 0]);
  const rows = useSegments(id, filter, visible);
  const opened = useOpenSegment(id, filter, rows.data, saves, onFilter);
  const claims = useClaim('document', id, opened.open?.position, rows.readAt);
  const holders = useMemo(() => {
    const byPosition = new Map<number, string[]>();
    for (const { holder, position } of claims)
      if (position !== null) byPosition.set(position, [...(byPosition.get(position) ?? []), holder]);
    return byPosition;
  }, [claims]);
  const isOthersTurn = useIsOthersTurn({ kind: 'document', id });
  const isReadOnly = status !== 'translated' || approved_at !== null || isOthersTurn || isVisitor();
  const source = {
    rows,
    outline,
    filter,
    onFilter,
    onVisible,
    languages,
    languagesOf: () => languages,
    holders,
    ...opened,
    goOn(said) {
      announce(said);
      opened.moveToNextOpen();
    },
    saves,
    isReadOnly: () => isReadOnly,
    check,
    findingsOf,
    ...decisions,
    // The last decision may be the approval, which only Reopen reverts.
    ...(isReadOnly && { canUndo: false, undo() {}, redo() {} }),
  } satisfies RowSource<Segment>;
  return { source, isReadOnly, isOthersTurn, opening, remember, others: claims.map(({ holder }) => holder) };
}

function checkOf(documentId: string): SegmentCheck<Segment> {
  return {
    queryKey: ({ position }, text) => queryKeys.documents.check(documentId, position, text),
    run: ({ position, source_content: source }, text, signal) =>
      client.documents.check(
        {
          document_id: documentId,
          position,
          text: plainOf(text, source),
          ...(source && { content: readContent(text, source) }),
        },
        { signal },
      ),
  };
}
