import { Link } from '@tanstack/react-router';
import { ArrowLeft, Keyboard, UserRoundPlus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '../i18n.tsx';
import { runCommand } from '../keys/use-commands.ts';
import { Avatar } from '../kit/avatar.tsx';
import { isVisitor } from '../session/keeper.ts';
import styles from './editor.module.css';
import { useAppliedView } from './editor-view.ts';
import { ListButton, PanelButton } from './view-buttons.tsx';

/** One line above the segments: what is edited, its languages, who else works on it, and the actions on the whole. */
export function EditorHead({
  format,
  title,
  pair,
  others,
  children,
}: {
  /** A short label of the format, such as `docx`. */
  format: ReactNode;
  title: ReactNode;
  /** Source and target language. */
  pair: string | undefined;
  /** Names of colleagues who have the same open. */
  others: readonly string[];
  /** The actions. */
  children: ReactNode;
}) {
  const t = useT();
  useAppliedView();
  return (
    <div className={styles['head']}>
      <Link to="/app" className="button ghost" aria-label={t('editor.back')}>
        <ArrowLeft size={18} aria-hidden className="mirrored" />
      </Link>
      {format}
      <div className={styles['title']}>
        <h1>{title}</h1>
        {pair && <span className={styles['pair']}>{pair}</span>}
      </div>
      <span className={styles['space']} />
      {others.length > 0 && (
        <ul className={styles['others']} aria-label={t('editor.others')}>
          {others.map((other) => (
            <li key={other} title={other}>
              <Avatar name={other} />
              <bdi className="visually-hidden">{other}</bdi>
            </li>
          ))}
        </ul>
      )}
      <div className={styles['phoneOnly']}>
        <ListButton />
        <PanelButton />
      </div>
      <button
        type="button"
        className={`ghost ${styles['help']}`}
        aria-label={t('keys.title')}
        title={t('keys.title')}
        onClick={() => runCommand('help')}
      >
        <Keyboard size={17} aria-hidden />
      </button>
      {!isVisitor() && (
        <button
          type="button"
          className={`ghost ${styles['help']}`}
          aria-label={t('keys.assign')}
          title={t('keys.assign')}
          onClick={() => runCommand('assign')}
        >
          <UserRoundPlus size={17} aria-hidden />
        </button>
      )}
      {children}
    </div>
  );
}
