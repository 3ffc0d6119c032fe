import { Undo2 } from 'lucide-react';
import {
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { loadWords, useT } from '../i18n.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { Row } from '../kit/box.tsx';
import { Card } from '../kit/card.tsx';
import { Text } from '../kit/text.tsx';
import { lazily } from '../parts/lazily.tsx';
import { Problem } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { TextDiff } from '../parts/text-diff.tsx';
import styles from './editor.module.css';
import { useEditorView } from './editor-view.ts';
import { Findings } from './findings.tsx';
import { insertText } from './insert-text.ts';
import type { RowSource } from './row-source.ts';
import type { EditedSegment } from './segment.ts';
import { MarkList, shownStatus } from './segment-row.tsx';
import type { Reason } from './segment-saves.ts';
import { SegmentTools } from './segment-tools.tsx';
import { SourceCell } from './source-cell.tsx';
import { shiftRanges } from './tagged-text.ts';
import { TargetField } from './target-field.tsx';
import { type OpenText, useOpenText } from './use-open-text.ts';

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

const SegmentConflict = lazily(async () => ({
  default: (await import('./segment-conflict.tsx')).SegmentConflict,
}));
const LengthOfLimit = lazily(() => import('./length-of-limit.tsx'));
const Spelling = lazily(async () => {
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

/** The open segment: the source, the field with the translation, and its findings. */
export function OpenSegment<Segment extends EditedSegment>(props: OpenSegmentProps<Segment>) {
  const { segment, source: rows, field, takesFocus = true, onConfirmed } = props;
  const { saves } = rows;
  const { position, source_content: content } = segment;
  const t = useT();
  const element = useRef<HTMLTextAreaElement>(null);
  const shown = useOpenText(segment, rows);
  const { languages, isReadOnly, text, plain, edit, open, isBlocked } = shown;
  const { showsChanges, isOnlyHere } = useEditorView();
  const isEmpty = plain.trim() === '';
  const [isMissing, setMissing] = useState(false);
  useEffect(() => () => saves.leave(position), [saves, position]);

  const confirm = (reason?: Reason) => {
    if (isReadOnly) return;
    setMissing(isEmpty);
    if (isEmpty) return;
    saves.confirm(position, text, shown.stored, reason, isOnlyHere);
    // With critical findings, the segment stays open: the service will ask for a reason.
    if (reason || !(isBlocked || shown.hasCritical)) onConfirmed();
  };
  const insert = (next: string, range?: 'all' | [number, number]) =>
    element.current && insertText(element.current, next, range);
  const replaceAll = async (next: string) =>
    insert(content ? (await import('./tagged-match.ts')).taggedMatch(next, content) : next, 'all');
  const handle = useEffectEvent(
    (): OpenField => ({
      position,
      replaceAll: (next) => void replaceAll(next),
      insert,
      focus: () => element.current?.focus(),
    }),
  );
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
      <SourceCell {...{ segment, shown }} />
      <TargetCell
        {...{ segment, shown, element }}
        tools={props.tools}
        needsText={isMissing && isEmpty}
        onText={(next) => saves.edit(position, next, shown.stored)}
      />
      {showsChanges && (
        <Changes
          machine={shown.machine}
          text={plain}
          language={languages.target}
          onRestore={content || isReadOnly ? undefined : (machine) => insert(machine, 'all')}
        />
      )}
      {edit?.state.kind === 'conflict' && (
        <Suspense>
          <SegmentConflict position={position} edit={edit} saves={saves} language={languages.target} />
        </Suspense>
      )}
      {edit?.state.kind === 'refused' && (
        <div role="gridcell" tabIndex={-1} className={styles['below']}>
          <Problem error={edit.state.error} retry={() => void saves.flush()} />
          <button type="button" className="small" onClick={() => saves.drop(position)}>
            {t('review.give_up_mine')}
          </button>
        </div>
      )}
      {props.children}
      <Findings
        issues={shown.issues}
        corrections={shown.corrections}
        isCurrent={shown.isCurrent}
        isBlocked={isBlocked}
        actions={isReadOnly ? undefined : rows.findingsOf(segment)}
        onUse={(correction) => {
          const [{ start, end, text: correct } = correction] = shiftRanges([correction], text, content);
          insert(correct, [start, end]);
        }}
        onOverrule={confirm}
      />
    </div>
  );
}

/** The field with the translation, and what belongs to it. @param needsText whether an empty one was confirmed */
function TargetCell({
  segment,
  shown,
  element,
  needsText,
  onText,
  ...props
}: {
  segment: EditedSegment;
  shown: OpenText;
  element: RefObject<HTMLTextAreaElement | null>;
  tools: ReactNode;
  needsText: boolean;
  onText: (text: string) => void;
}) {
  const t = useT();
  const note = useId();
  const { position, source_content: content, max_length: most } = segment;
  const { text, plain, errors, machine, isReadOnly } = shown;
  const language = shown.languages.target;
  const isSpelled = !isReadOnly && spelledLanguages.test(language);
  return (
    <div role="gridcell" className={styles['target']} tabIndex={-1}>
      <TargetField
        {...{ text, language, isReadOnly, onText }}
        field={element}
        marks={shown.marks.target}
        label={t('editor.translation_of', { number: position + 1 })}
        describedBy={note}
        hasTags={content != null}
        hasDictionary={isSpelled}
      />
      <SegmentTools {...{ segment, shown }} field={element}>
        {props.tools}
        <span id={note} className={styles['length']}>
          {most == null ? (
            t('editor.characters', { count: [...plain].length })
          ) : (
            <Suspense>
              <LengthOfLimit text={plain} most={most} unit={segment.length_unit} />
            </Suspense>
          )}
        </span>
      </SegmentTools>
      {isSpelled && (
        <Suspense>
          <Spelling
            field={element}
            text={plain}
            allowed={shown.allowed}
            offset={(word) => shiftRanges([word], text, content)[0] ?? word}
            onFound={shown.setMisspelled}
          />
        </Suspense>
      )}
      {errors.length > 0 && (
        <Suspense>
          <MarkList {...{ segment, machine, language }} marks={errors} canRemove={!isReadOnly} />
        </Suspense>
      )}
      {needsText && (
        <Text as="p" role="alert" size="sm" tone="crit">
          {t('editor.text_needed')}
        </Text>
      )}
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
    <div role="gridcell" tabIndex={-1} className={styles['below']}>
      <Card pad={3} gap={1}>
        <Row as="header" gap={3}>
          <b>{t('editor.against_machine')}</b>
          {isSame && <span className="hint">{t('editor.no_changes')}</span>}
          {!isSame && onRestore && (
            <button type="button" className="ghost small" onClick={() => onRestore(machine)}>
              <Undo2 size={14} aria-hidden className="mirrored" /> {t('editor.restore_it')}
            </button>
          )}
        </Row>
        {!isSame && <TextDiff before={machine} after={text} language={language} />}
      </Card>
    </div>
  );
}
