import { Link, useRouterState } from '@tanstack/react-router';
import { ChevronsUpDown, Search } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useT } from '../i18n.tsx';
import { CommandKey } from '../keys/command-key.tsx';
import { runCommand } from '../keys/use-commands.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Text } from '../kit/text.tsx';
import { lazily } from '../parts/lazily.tsx';
import { PopoverButton } from '../parts/popover-button.tsx';
import { useInbox } from '../parts/use-inbox.ts';
import { isAdministrator, useMe, useOperatorStanding } from '../session/use-me.ts';
import { useSession } from '../session/use-session.ts';
import styles from './frame.module.css';
import { Logo } from './logo.tsx';
import { isAt, type Section, visibleSections } from './sections.ts';

/** The widths at which the column shows only icons on all screens. Below them, the column is a bar. */
const mediumWidth = matchMedia('(48rem <= width < 68rem)');

function subscribeToWidth(listener: () => void): () => void {
  mediumWidth.addEventListener('change', listener);
  return () => mediumWidth.removeEventListener('change', listener);
}

/** The sections that the signed-in member sees. */
export function useSections(): Section[] {
  const me = useMe();
  const { data: isOperator } = useOperatorStanding(me.data);
  return visibleSections({
    isAdmin: me.data !== undefined && isAdministrator(me.data),
    isOperator: isOperator === true,
  });
}

/**
 * The navigation: a column at the side of the screen, or a bar at the bottom of a narrow window.
 * @param inEditor whether the column shows only icons, to leave the space to the editor
 */
export function Rail({ inEditor, onSignOut }: { inEditor: boolean; onSignOut: () => void }) {
  const t = useT();
  const isMedium = useSyncExternalStore(subscribeToWidth, () => mediumWidth.matches);
  const isNarrow = inEditor || isMedium;
  return (
    <header className={styles['rail']} data-narrow={isNarrow || undefined}>
      <Link
        to="/app"
        activeOptions={{ exact: true }}
        className={styles['brand']}
        aria-label="LinguaLoop"
        translate="no"
      >
        <Logo />
        <span className={styles['name']}>
          Lingua<b>Loop</b>
        </span>
      </Link>
      <button type="button" className={styles['find']} onClick={() => runCommand('palette')}>
        <Search size={16} aria-hidden />
        <span>{t('common.find')}</span>
        <CommandKey id="palette" />
      </button>
      <nav aria-label={t('common.navigation')}>
        <ul className={styles['list']}>
          {useSections().map((section) => (
            <li key={section.name} data-settings={section.name === 'common.settings' || undefined}>
              <SectionLink section={section} isNarrow={isNarrow} />
            </li>
          ))}
        </ul>
      </nav>
      <AccountMenu onSignOut={onSignOut} />
    </header>
  );
}

function SectionLink({
  section: { name, icon: Icon, entries },
  isNarrow,
}: {
  section: Section;
  isNarrow: boolean;
}) {
  const t = useT();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [first] = entries;
  return (
    <Link
      to={first?.to ?? '/app'}
      activeOptions={{ exact: true }}
      title={isNarrow ? t(name) : undefined}
      className={styles['link']}
      aria-current={entries.some((entry) => isAt(path, entry)) ? 'page' : undefined}
    >
      <Icon size={19} aria-hidden />
      <span>{t(name)}</span>
      {name === 'common.home' && <InboxCount />}
    </Link>
  );
}

/** Milliseconds between refreshes of the number of tasks. The inbox itself refreshes more often. */
const readAgain = 30_000;

/** The number of tasks in the inbox; an empty inbox has no number. */
function InboxCount() {
  const t = useT();
  const { data } = useInbox({ refetchInterval: readAgain });
  if (!data || data.tasks.length === 0) return null;
  const { tasks, more } = data;
  return (
    <b className={styles['count']}>
      {Math.min(tasks.length, 99)}
      {(more.documents || more.texts || tasks.length > 99) && '+'}
      <span className="visually-hidden">{t('common.waiting')}</span>
    </b>
  );
}

/** The screens of a section that has several: tabs above the screen or, for the settings, a list next to it. */
export function SectionNavigation() {
  const t = useT();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const section = useSections().find(({ entries }) => entries.some((entry) => isAt(path, entry)));
  const list = useRef<HTMLUListElement>(null);
  const entries = section?.entries.length;
  // In a narrow window, the links are a row that scrolls. The links of administrators appear when the role is known.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path marks another link, and more links move it
  useEffect(() => {
    const current = list.current?.querySelector('[aria-current]');
    current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path, entries]);
  if (!section || section.entries.length < 2) return null;
  const isSettings = section.name === 'common.settings';
  return (
    <nav className={styles[isSettings ? 'side' : 'section']} aria-label={t(section.name)}>
      {isSettings && (
        <Text as="p" size="lg" weight="semi" aria-hidden>
          {t(section.name)}
        </Text>
      )}
      <ul ref={list} className={styles['list']}>
        {section.entries.map((entry) => (
          <li key={entry.to}>
            <Link
              to={entry.to}
              className={styles['link']}
              activeOptions={{ exact: true }}
              aria-current={isAt(path, entry) ? 'page' : undefined}
            >
              <entry.icon size={isSettings ? 17 : 16} aria-hidden />
              {t(entry.name)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const AccountPopover = lazily(() => import('./account-popover.tsx'));

/** The signed-in member, and a popover with the theme, the language of the interface, security and sign-out. */
function AccountMenu({ onSignOut }: { onSignOut: () => void }) {
  const t = useT();
  const me = useMe();
  const state = useSession();
  if (!('tokens' in state)) return null;
  const { email, user_id } = state.tokens.user;
  const name = email || user_id;
  return (
    <PopoverButton
      className={styles['account']}
      opens={{
        label: t('common.account'),
        placement: 'top start',
        className: styles['menu'],
        content: (close) => (
          <AccountPopover
            name={name}
            onClose={close}
            onSignOut={() => {
              close();
              onSignOut();
            }}
          />
        ),
      }}
    >
      <Avatar name={name} />
      <span>
        <bdi translate="no">{name}</bdi>
        {me.data && (
          <Text as="small" size="sm" tone="faint" weight="regular">
            <bdi translate="no">{me.data.tenant.name}</bdi>
          </Text>
        )}
      </span>
      <span className="visually-hidden">{t('common.account')}</span>
      <ChevronsUpDown size={15} aria-hidden />
    </PopoverButton>
  );
}
