import { List, PanelRight, Rows4 } from 'lucide-react';
import { useT } from '../i18n.tsx';
import styles from './editor.module.css';
import { toggleDensity, toggleList, togglePanel, useEditorView } from './editor-view.ts';

/** Shows or hides the side panel. */
export function PanelButton() {
  const t = useT();
  const { isPanelOpen } = useEditorView();
  return (
    <button
      type="button"
      className={`ghost ${styles['tool']}`}
      aria-label={t('editor.show_panel')}
      title={t('editor.show_panel')}
      aria-expanded={isPanelOpen}
      data-panel-button
      onClick={togglePanel}
    >
      <PanelRight size={17} aria-hidden className={styles['mirrored']} />
    </button>
  );
}

/** Shows more rows or larger ones. */
export function DensityButton() {
  const t = useT();
  const { isCompact } = useEditorView();
  return (
    <button
      type="button"
      className={`ghost ${styles['tool']}`}
      aria-label={t('editor.compact')}
      title={t('editor.compact')}
      aria-pressed={isCompact}
      onClick={toggleDensity}
    >
      <Rows4 size={16} aria-hidden />
    </button>
  );
}

/** On a phone: shows the list of segments or the open one. */
export function ListButton() {
  const t = useT();
  const { isListOpen } = useEditorView();
  return (
    <button
      type="button"
      className={`ghost ${styles['tool']}`}
      aria-label={t('editor.show_list')}
      aria-pressed={isListOpen}
      onClick={toggleList}
    >
      <List size={19} aria-hidden className={styles['mirrored']} />
    </button>
  );
}
