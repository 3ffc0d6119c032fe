import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../client.ts';
import { loadWords, useT } from '../i18n.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { plainName } from '../parts/language-text.tsx';
import { Loading, Read } from '../parts/loading.tsx';
import { queryKeys } from '../query-keys.ts';
import { DocumentHead } from './document-head.tsx';
import { DocumentPanel } from './document-panel.tsx';
import { useDocumentRows } from './document-rows.ts';
import { Editor } from './editor.tsx';
import { FoundEdits } from './found-edits.tsx';
import { outlineQuery } from './outline.ts';
import type { ReplaceDialogProps } from './replace-dialog.tsx';
import type { SegmentFilter } from './segment-filter.ts';
import { SegmentFilters } from './segment-filters.tsx';
import { segmentPage } from './use-segments.ts';

const ReplaceDialog = lazy(async () => {
  const [dialog] = await Promise.all([import('./replace-dialog.tsx'), loadWords('tools')]);
  return dialog;
});
const DocumentNotices = lazy(() => import('./document-notices.tsx'));

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

const ApproveDialog = lazy(async () => {
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
  const { source, isReadOnly, opening, remember, others } = useDocumentRows(document, filter, setFilter);
  const { saves, languages, outline } = source;
  const [isApproving, setApproving] = useState(false);
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
