import { List, PanelRight, Rows4 } from 'lucide-react';
import type { ComponentProps } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import styles from './editor.module.css';
import { toggleDensity, toggleList, togglePanel, useEditorView } from './editor-view.ts';

/** A button with an icon and without a visible label. */
export function ToolButton({ label, ...props }: { label: MessageId } & ComponentProps<'button'>) {
  const t = useT();
  return (
    <button
      type="button"
      className={`ghost ${styles['tool']}`}
      aria-label={t(label)}
      title={t(label)}
      {...props}
    />
  );
}

/** Shows or hides the side panel. */
export function PanelButton() {
  const { isPanelOpen } = useEditorView();
  return (
    <ToolButton label="editor.show_panel" aria-expanded={isPanelOpen} data-panel-button onClick={togglePanel}>
      <PanelRight size={17} aria-hidden className="mirrored" />
    </ToolButton>
  );
}

/** Shows more rows or larger ones. */
export function DensityButton() {
  const { isCompact } = useEditorView();
  return (
    <ToolButton label="editor.compact" aria-pressed={isCompact} onClick={toggleDensity}>
      <Rows4 size={16} aria-hidden />
    </ToolButton>
  );
}

/** On a phone: shows the list of segments or the open one. */
export function ListButton() {
  const { isListOpen } = useEditorView();
  return (
    <ToolButton label="editor.show_list" aria-pressed={isListOpen} onClick={toggleList}>
      <List size={19} aria-hidden className="mirrored" />
    </ToolButton>
  );
}
