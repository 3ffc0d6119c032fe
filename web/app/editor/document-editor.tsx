import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import {
  lazy,
  type RefObject,
  Suspense,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { announce } from '../parts/announcer.tsx';
import { plainName } from '../parts/language-text.tsx';
import { Loading, Read } from '../parts/loading.tsx';
import { queryKeys } from '../query-keys.ts';
import { isVisitor } from '../session/keeper.ts';
import bars from './bars.module.css';
import { DocumentHead } from './document-head.tsx';
import { DocumentNotices } from './document-notices.tsx';
import { DocumentPanel } from './document-panel.tsx';
import styles from './editor.module.css';
import { EditorFoot } from './editor-foot.tsx';
import { useSegmentFindings } from './finding-actions.ts';
import { FoundEdits } from './found-edits.tsx';
import { type OpenField, OpenSegment } from './open-segment.tsx';
import { OpeningBars } from './opening-bars.tsx';
import { outlineQuery, useOutline } from './outline.ts';
import type { ReplaceDialogProps } from './replace-dialog.tsx';
import type { SegmentFilter } from './segment-filter.ts';
import { SegmentFilters } from './segment-filters.tsx';
import { SegmentGrid } from './segment-grid.tsx';
import { StatusFilters } from './status-filters.tsx';
import { plainOf, readContent } from './tagged-text.ts';
import { useDecisions } from './use-decisions.ts';
import { useOpenSegment } from './use-open-segment.ts';
import { usePresence } from './use-presence.ts';
import type { SegmentCheck } from './use-segment-data.ts';
import { segmentPage, useSegments } from './use-segments.ts';

const ReplaceDialog = lazy(() => import('./replace-dialog.tsx'));

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

const ApproveDialog = lazy(async () => ({ default: (await import('./approve-dialog.tsx')).ApproveDialog }));

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
  const t = useT();
  const { id, request, status, source_file_name: name } = document;
  const languages = useMemo(
    () => ({ source: request.source_lang, target: request.target_lang }),
    [request.source_lang, request.target_lang],
  );
  const check = useMemo(() => checkOf(id), [id]);
  const { filter, setFilter } = useFilter(id);
  const { saves, opening, undo, redo, canUndo, remember } = useDecisions(id, request.target_lang);
  const findings = useSegmentFindings(id, saves);
  const outline = useOutline(id);
  const [visible, setVisible] = useState<readonly [number, number]>([0, 0]);
  const segments = useSegments(id, filter, visible);
  const { open, openSegment, next, late, openAt, move, moveToNextOpen } = useOpenSegment(
    id,
    filter,
    segments.data,
    saves,
    setFilter,
  );
  const { others, holders } = usePresence(id, open?.position);
  // The panel follows after the field is shown: its matches and the page take longer than the field.
  const shown = useDeferredValue(openSegment);
  const field = useRef<OpenField>(null);
  const search = useRef<HTMLInputElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [isApproving, setApproving] = useState(false);
  const isReadOnly = status !== 'translated' || document.approved_at !== null || isVisitor();

  useCommands({
    nextItem: () => move(1),
    previousItem: () => move(-1),
    listDown: () => move(1, false),
    listUp: () => move(-1, false),
    open: () => field.current?.focus(),
    undoDecision: () => void undo(),
    redoDecision: () => void redo(),
    save: () => void saves.flush(),
    find: () => search.current?.focus(),
    toList: () => body.current?.querySelector<HTMLElement>('[role=grid]')?.focus(),
    findText: () => search.current?.focus(),
  });
  return (
    <>
      <title>{`${plainName(name)} · LinguaLoop`}</title>
      <div className={styles['editor']} data-editor>
        <DocumentHead
          document={document}
          saves={saves}
          others={others}
          onApprove={() => setApproving(true)}
        />
        <div className={bars['bars']}>
          <DocumentNotices document={document} />
          {!isReadOnly && <FoundEdits opening={opening} saves={saves} />}
          <OpeningBars
            saves={saves}
            openPosition={openSegment?.position}
            next={next}
            late={late}
            onOpen={openAt}
            onRetry={moveToNextOpen}
          />
        </div>
        <StatusFilters
          outline={outline.data}
          filter={filter}
          search={search}
          canReplace={!isReadOnly}
          onChange={setFilter}
        >
          <SegmentFilters outline={outline.data} filter={filter} onChange={setFilter} />
        </StatusFilters>
        <div ref={body} className={styles['body']}>
          <Read from={segments} lines={20}>
            {(range) =>
              range.total === 0 && Object.keys(filter).length > 0 ? (
                <NoMatch documentId={id} />
              ) : (
                <SegmentGrid
                  key={JSON.stringify(filter)}
                  range={range}
                  saves={saves}
                  languages={languages}
                  languagesOf={() => languages}
                  sought={filter.text}
                  open={open}
                  holders={holders}
                  onOpen={openAt}
                  onMove={(step) => move(step, false)}
                  onVisible={setVisible}
                  renderOpen={(segment) => (
                    <OpenSegment
                      key={segment.position}
                      segment={segment}
                      check={check}
                      saves={saves}
                      languages={languages}
                      sought={filter.text}
                      isReadOnly={isReadOnly}
                      findings={findings}
                      field={field}
                      takesFocus={open?.takesFocus}
                      onConfirmed={() => {
                        announce(t('editor.confirmed', { number: segment.position + 1 }));
                        moveToNextOpen();
                      }}
                    />
                  )}
                />
              )
            }
          </Read>
          <TypeAhead isActive={next !== 'none'} field={field} />
          <DocumentPanel
            hasPreview={segments.data !== undefined}
            document={document}
            segment={shown}
            languages={languages}
            field={field}
            onOpen={openAt}
            onFilter={setFilter}
          />
        </div>
        <EditorFoot
          outline={outline.data}
          saves={saves}
          canUndo={canUndo}
          canConfirm={!isReadOnly && openSegment !== undefined}
        />
      </div>
      {!isReadOnly && (
        <FindReplace
          documentId={id}
          languages={languages}
          filter={filter}
          saves={saves}
          holders={holders}
          onChanged={remember}
        />
      )}
      {isApproving && (
        <Suspense>
          <ApproveDialog
            document={document}
            saves={saves}
            outline={outline.data}
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
    <p className={styles['empty']}>
      {t('review.none_found')}{' '}
      <Link to="/app/edit/documents/$documentId" params={{ documentId }} search={{}} replace>
        {t('review.clear_filters')}
      </Link>
    </p>
  );
}

function checkOf(documentId: string): SegmentCheck {
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
 * Takes the keys that a reviewer types after a confirmation, until the next segment is open, and inserts them there.
 * Without it, they would change the confirmed segment. It is a field, so that input methods work too.
 */
function TypeAhead({ isActive, field }: { isActive: boolean; field: RefObject<OpenField | null> }) {
  const t = useT();
  const element = useRef<HTMLTextAreaElement>(null);
  const typed = useRef('');
  const wasActive = useRef(false);
  useEffect(() => {
    if (isActive && !wasActive.current) element.current?.focus();
    if (!isActive && wasActive.current) {
      field.current?.focus();
      if (typed.current !== '') field.current?.insert(typed.current);
      typed.current = '';
    }
    wasActive.current = isActive;
  }, [isActive, field]);
  if (!isActive) return null;
  return (
    <textarea
      ref={element}
      className="visually-hidden"
      aria-label={t('editor.opening_next')}
      onInput={({ currentTarget }) => {
        typed.current = currentTarget.value;
      }}
    />
  );
}
