import { Link } from '@tanstack/react-router';
import {
  Bell,
  Keyboard,
  Languages,
  LogOut,
  type LucideIcon,
  Search,
  ShieldCheck,
  SunMoon,
} from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { type Theme, themeCookie, themes } from '#web/server/theme.ts';
import { deployment } from '../deployment.ts';
import { useT } from '../i18n.tsx';
import { CommandKey } from '../keys/command-key.tsx';
import { runCommand } from '../keys/use-commands.ts';
import { Fill, Row } from '../kit/box.tsx';
import { Text } from '../kit/text.tsx';
import { useMe } from '../session/use-me.ts';
import styles from './account-popover.module.css';
import { LanguageChoice } from './language-choice.tsx';

const listeners = new Set<() => void>();

/** The selected theme. Without a selection, the theme of the system. */
function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme);
}

function currentTheme(): Theme {
  const selected = document.documentElement.dataset['theme'];
  return themes.find((one) => one === selected) ?? 'system';
}

/** Shows a theme, and stores it in a cookie that the server reads, so that the page never appears in the other one. */
function selectTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  const secure = location.protocol === 'https:';
  const age = theme === 'system' ? 0 : 31_536_000;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we support
  document.cookie = `${themeCookie(secure)}=${theme}; Path=/; Max-Age=${age}; SameSite=Lax${secure ? '; Secure' : ''}`;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The settings of this browser, and the sign-out. */
export default function AccountPopover({
  name,
  onClose,
  onSignOut,
}: {
  name: string;
  onClose: () => void;
  onSignOut: () => void;
}) {
  const t = useT();
  const theme = useTheme();
  const me = useMe();
  return (
    <div className={styles['menu']}>
      <Text as="bdi" weight="semi" translate="no">
        {name}
      </Text>
      {me.data && (
        <p className="hint">
          {t('signin.workspace_id')}: <bdi translate="no">{me.data.user.tenant_id}</bdi>
        </p>
      )}
      <Row as="fieldset" gap={3} isTight aria-label={t('common.theme')}>
        <SunMoon size={16} aria-hidden />
        <Fill>{t('common.theme')}</Fill>
        <span className="segmented">
          {themes.map((one) => (
            <label key={one}>
              <input type="radio" name="theme" checked={one === theme} onChange={() => selectTheme(one)} />
              {t(`common.theme_${one}`)}
            </label>
          ))}
        </span>
      </Row>
      <Row gap={3} isTight>
        <Languages size={16} aria-hidden />
        <LanguageChoice />
      </Row>
      <hr />
      <Link to="/app/settings/security" onClick={onClose}>
        <ShieldCheck size={16} aria-hidden />
        {t('security.title')}
      </Link>
      {deployment.mail && (
        <Link to="/app/settings/notifications" onClick={onClose}>
          <Bell size={16} aria-hidden />
          {t('notifications.title')}
        </Link>
      )}
      <CommandButton id="palette" icon={Search} onClose={onClose} />
      <CommandButton id="help" icon={Keyboard} onClose={onClose} />
      <hr />
      <button type="button" className="ghost" onClick={onSignOut}>
        <LogOut size={16} aria-hidden />
        {t('common.sign_out')}
      </button>
    </div>
  );
}

/** Runs a command that is also a key, for members without a keyboard. */
function CommandButton({
  id,
  icon: Icon,
  onClose,
}: {
  id: 'palette' | 'help';
  icon: LucideIcon;
  onClose: () => void;
}) {
  const t = useT();
  return (
    <button
      type="button"
      className="ghost"
      onClick={() => {
        onClose();
        // After the popover has restored the focus.
        setTimeout(() => runCommand(id));
      }}
    >
      <Icon size={16} aria-hidden />
      {t(id === 'help' ? 'keys.title' : 'keys.palette')}
      <CommandKey id={id} />
    </button>
  );
}
