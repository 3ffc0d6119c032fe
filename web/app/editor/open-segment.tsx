import { Undo2 } from 'lucide-react';
import {
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useEffectEvent,
  useId,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { QualityIssue } from '#sdk/types.ts';
import { loadWords, type MessageId, useT } from '../i18n.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { Problem } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { TextDiff } from '../parts/text-diff.tsx';
import { type Correction, correctionsOf } from './corrections.ts';
import styles from './editor.module.css';
import { useEditorView } from './editor-view.ts';
import { isOpen } from './finding-actions.ts';
import { Findings } from './findings.tsx';
import { insertText } from './insert-text.ts';
import { MarkedText } from './marked-text.tsx';
import { markedWords, missingSpans } from './marks.ts';
import type { RowSource } from './row-source.ts';
import type { EditedSegment } from './segment.ts';
import { taggedMarks } from './segment-marks.ts';
import { MarkList, shownStatus } from './segment-row.tsx';
import type { Reason } from './segment-saves.ts';
import { SegmentTools } from './segment-tools.tsx';
import type { Word } from './spelling/words.ts';
import { plainOf, shiftRanges, textsOf } from './tagged-text.ts';
import { TargetField } from './target-field.tsx';
import tools from './tools.module.css';
import { useErrorMarks, useIssues, useTerms } from './use-segment-data.ts';

/** The functions of the open field for other parts of the editor. */
export interface OpenField {
  /** The position of the segment. The side panel may still show the previous one. */
  position: number;
  /** Replaces the whole translation, such as by a TM match. */
  replaceAll(text: string): void;
  /** Inserts a text at the caret. */
  insert(text: string): void;
  focus(): void;
}

const SegmentConflict = lazy(async () => ({
  default: (await import('./segment-conflict.tsx')).SegmentConflict,
}));
const RecognizedWords = lazy(() => import('./recognized-words.tsx'));
const LengthOfLimit = lazy(() => import('./length-of-limit.tsx'));
const Spelling = lazy(async () => {
  const [module] = await Promise.all([import('./spelling/spelling.tsx'), loadWords('tools')]);
  return module;
});
/** The languages with a dictionary. */
const spelledLanguages = /^(en|nl|ru)(-|$)/i;
export interface OpenSegmentProps<Segment extends EditedSegment> {
  segment: Segment;
  source: RowSource<Segment>;
  /** Set while the segment is shown. */
  field: React.RefObject<OpenField | null>;
  /** Whether the field gets the focus when the segment is opened. By default, it does. */
  takesFocus?: boolean | undefined;
  /** Called when the segment was confirmed: the editor opens the next one. */
  onConfirmed: () => void;
  /** Further actions on the segment. */
  tools?: ReactNode;
  /** Shown above the findings. */
  children?: ReactNode;
}

const none: ReadonlyMap<QualityIssue, Correction> = new Map();

/** The open segment: the source, the field with the translation, and its findings. */
export function OpenSegment<Segment extends EditedSegment>(props: OpenSegmentProps<Segment>) {
  const { segment, source: rows, onConfirmed } = props;
  const { saves, filter } = rows;
  const languages = rows.languagesOf(segment);
  const isReadOnly = rows.isReadOnly(segment);
  const t = useT();
  const note = useId();
  const element = useRef<HTMLTextAreaElement>(null);
  const { position, source_text: source, source_content: content, is_html: isHtml = false } = segment;
  const { source: shownSource, target: stored } = useMemo(() => textsOf(segment), [segment]);
  const edit = useSyncExternalStore(saves.subscribe, saves.all).get(position);
  const text = edit?.text ?? stored ?? '';
  const plain = plainOf(text, content);
  // A confirmed text that equals the stored one keeps its findings, also those of the models.
  const isChanged = edit !== undefined && text !== (stored ?? '');
  const { issues, isCurrent } = useIssues(rows.check, segment, isChanged ? text : undefined);
  const open = useMemo(() => issues.filter(isOpen), [issues]);
  const terms = useTerms(segment, languages);
  const errors = useErrorMarks(segment);
  const machine = segment.pipeline_text ?? segment.target_text ?? '';
  const isSpelled = !isReadOnly && spelledLanguages.test(languages.target);
  const [misspelled, setMisspelled] = useState<readonly Word[]>([]);
  const missing = useMemo(
    () => missingSpans(source, plain, languages, isHtml),
    [source, plain, languages, isHtml],
  );
  const allowed = useMemo(
    () => ({
      ...{ source, language: languages.target, isHtml },
      terms: terms.flatMap(({ target_terms }) => target_terms),
    }),
    [source, languages.target, isHtml, terms],
  );
  const marks = taggedMarks(
    segment,
    { source: shownSource, target: text },
    {
      source,
      target: plain,
      languages,
      isHtml,
      issues: open,
      terms,
      added: [
        ...markedWords(errors, machine, plain),
        ...misspelled
          .filter(({ start, end, text: word }) => plain.slice(start, end) === word)
          .map(({ start, end }) => ({ start, end, kind: 'misspelled' as const })),
      ],
      sought: filter.text,
    },
  );
  const corrections = isReadOnly ? none : correctionsOf(open, { source, target: plain, languages });
  const blocked = edit?.state.kind === 'blocked';
  const { showsChanges, isOnlyHere } = useEditorView();
  const isEmpty = plain.trim() === '';
  const [isMissing, setMissing] = useState(false);
  useEffect(() => () => saves.leave(position), [saves, position]);
  const isCritical = ({ severity }: QualityIssue) => severity === 'critical';
  // The findings of a model stay when the text changes. Those of the checks count only for the text as it is now.
  const staysOpen = (segment.quality.issues as QualityIssue[]).some(
    (issue) => isCritical(issue) && isOpen(issue) && issue.found_by !== 'check',
  );
  const hasCritical = staysOpen || (isCurrent && open.some(isCritical));

  const confirm = (reason?: Reason) => {
    if (isReadOnly) return;
    setMissing(isEmpty);
    if (isEmpty) return;
    saves.confirm(position, text, stored, reason, isOnlyHere);
    // With critical findings, the segment stays open: the service will ask for a reason.
    if (reason || !(blocked || hasCritical)) onConfirmed();
  };
  const putAll = (next: string) => element.current && insertText(element.current, next, 'all');
  const replaceAll = async (next: string) => {
    const tagged = content ? (await import('./tagged-match.ts')).taggedMatch(next, content) : next;
    putAll(tagged);
  };
  const handle = useEffectEvent(
    (): OpenField => ({
      position,
      replaceAll: (next) => void replaceAll(next),
      insert: (next) => element.current && insertText(element.current, next),
      focus: () => element.current?.focus(),
    }),
  );
  const { field, takesFocus = true } = props;
  const focus = useEffectEvent(() => takesFocus && element.current?.focus());
  useEffect(() => {
    field.current = handle();
    focus();
    return () => {
      field.current = null;
    };
  }, [field]);
  useCommands({ approve: () => confirm() });

  return (
    <div className={styles['open']}>
      <div role="rowheader" className={styles['number']}>
        <b>{position + 1}</b>
        <StatusMark status={shownStatus(segment, open, edit !== undefined)} />
      </div>
      <div role="gridcell" className={styles['source']} tabIndex={-1}>
        <MarkedText text={shownSource} marks={marks.source} language={languages.source} isSource />
        <p className={styles['place']}>
          <SegmentPlace place={segment.place} />
          {segment.context && (
            <>
              <br />
              <bdi>{segment.context}</bdi>
            </>
          )}
        </p>
        {segment.words && (
          <Suspense>
            <RecognizedWords words={segment.words} language={languages.source} />
          </Suspense>
        )}
      </div>
      <div role="gridcell" className={styles['target']} tabIndex={-1}>
        <TargetField
          field={element}
          text={text}
          marks={marks.target}
          language={languages.target}
          label={t('editor.translation_of', { number: position + 1 })}
          describedBy={note}
          isReadOnly={isReadOnly}
          hasTags={content != null}
          hasDictionary={isSpelled}
          onText={(next) => saves.edit(position, next, stored)}
        />
        <SegmentTools
          {...{ segment, shownSource, text, missing, errors, machine, isReadOnly }}
          field={element}
          language={languages.target}
        >
          {props.tools}
          <span id={note} className={styles['length']}>
            {segment.max_length == null ? (
              t('editor.characters', { count: [...plain].length })
            ) : (
              <Suspense>
                <LengthOfLimit text={plain} most={segment.max_length} unit={segment.length_unit} />
              </Suspense>
            )}
          </span>
        </SegmentTools>
        {isSpelled && (
          <Suspense>
            <Spelling
              field={element}
              text={plain}
              allowed={allowed}
              offset={(word) => shiftRanges([word], text, content)[0] ?? word}
              onFound={setMisspelled}
            />
          </Suspense>
        )}
        {errors.length > 0 && (
          <Suspense>
            <MarkList
              {...{ segment, machine, marks: errors }}
              language={languages.target}
              canRemove={!isReadOnly}
            />
          </Suspense>
        )}
        {isMissing && isEmpty && (
          <p role="alert" className={styles['needed']}>
            {t('editor.text_needed')}
          </p>
        )}
      </div>
      {showsChanges && (
        <Changes
          machine={machine}
          text={plain}
          language={languages.target}
          onRestore={content || isReadOnly ? undefined : putAll}
        />
      )}
      {edit?.state.kind === 'conflict' && (
        <Suspense>
          <SegmentConflict position={position} edit={edit} saves={saves} language={languages.target} />
        </Suspense>
      )}
      {edit?.state.kind === 'refused' && (
        <div role="gridcell" tabIndex={-1} className={styles['conflict']}>
          <Problem error={edit.state.error} retry={() => void saves.flush()} />
          <button type="button" className="small" onClick={() => saves.drop(position)}>
            {t('review.give_up_mine')}
          </button>
        </div>
      )}
      {props.children}
      <Findings
        issues={issues}
        corrections={corrections}
        isCurrent={isCurrent}
        isBlocked={blocked}
        actions={isReadOnly ? undefined : rows.findingsOf(segment)}
        onUse={(correction) => {
          const [{ start, end, text: correct } = correction] = shiftRanges([correction], text, content);
          if (element.current) insertText(element.current, correct, [start, end]);
        }}
        onOverrule={confirm}
      />
    </div>
  );
}

/** The differences between the machine translation and the text. @param onRestore undefined if it cannot be restored */
function Changes({
  machine,
  text,
  language,
  onRestore,
}: {
  machine: string;
  text: string;
  language: string;
  onRestore: ((machine: string) => unknown) | undefined;
}) {
  const t = useT();
  const isSame = machine === text;
  return (
    <div role="gridcell" tabIndex={-1} className={tools.changes}>
      <header>
        <b>{t('editor.against_machine')}</b>
        {isSame && <span className="hint">{t('editor.no_changes')}</span>}
        {!isSame && onRestore && (
          <button type="button" className="ghost small" onClick={() => onRestore(machine)}>
            <Undo2 size={14} aria-hidden className="mirrored" /> {t('editor.restore_it')}
          </button>
        )}
      </header>
      {!isSame && <TextDiff before={machine} after={text} language={language} />}
    </div>
  );
}

/** The forms of places that are shown in words. The groups are the values of the message. */
const forms: readonly (readonly [RegExp, MessageId])[] = [
  [/^(?:word\/document|content)\.xml, paragraph (?<paragraph>\d+)$/, 'editor.place_paragraph'],
  [
    /^(?:word\/document|content)\.xml, table (?<table>\d+), row (?<row>\d+), cell (?<cell>\d+)(?:, paragraph \d+)?$/,
    'editor.place_cell',
  ],
  [/^line (?<line>\d+)$/, 'editor.place_line'],
  [/^line (?<line>\d+), (?<key>.+)$/s, 'editor.place_line_key'],
  [/^page (?<page>\d+)$/, 'editor.place_page'],
  [
    /^page (?<page>\d+), table (?<table>\d+), row (?<row>\d+), column (?<column>\d+)$/,
    'editor.place_page_cell',
  ],
  [/^page (?<page>\d+), list (?<list>\d+), item (?<item>.+)$/, 'editor.place_page_item'],
  [/^page (?<page>\d+), heading$/, 'editor.place_page_heading'],
  [/^page (?<page>\d+), header$/, 'editor.place_page_header'],
  [/^page (?<page>\d+), footer$/, 'editor.place_page_footer'],
  [/^slide (?<slide>\d+), paragraph (?<paragraph>\d+)$/, 'editor.place_slide'],
  [/^slide (?<slide>\d+), notes, paragraph (?<paragraph>\d+)$/, 'editor.place_notes'],
];

/** The place of a segment in its file. */
function SegmentPlace({ place }: { place: string }) {
  const t = useT();
  for (const [form, message] of forms) {
    const values = form.exec(place)?.groups;
    if (values) return t(message, values);
  }
  return <bdi>{place}</bdi>;
}
