import {
  Bell,
  BookOpen,
  Calculator,
  ChartColumn,
  CreditCard,
  Database,
  Files,
  FileText,
  Gauge,
  HardDrive,
  Inbox,
  KeyRound,
  Languages,
  Library,
  type LucideIcon,
  ScrollText,
  Search,
  ServerCog,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  SpellCheck,
  TextQuote,
  Users,
} from 'lucide-react';
import { deployment } from '../deployment.ts';
import type { MessageId } from '../i18n.tsx';
import { isOpen } from '../session/keeper.ts';

/** A link to a screen, and who sees it. The service checks each request; this only determines what is shown. */
export interface Entry {
  to: string;
  name: MessageId;
  icon: LucideIcon;
  /** Shown only to administrators of the workspace. */
  admin?: true;
  /** Shown only if the deployment has this feature. */
  needs?: 'billing' | 'mail';
  /** Shown only to platform operators. */
  operator?: true;
}

/** An area of the application: an entry of the navigation, with its own entries if it has several screens. */
export interface Section extends Omit<Entry, 'to'> {
  entries: readonly Entry[];
}

export const sections: readonly Section[] = [
  {
    name: 'common.home',
    icon: Inbox,
    entries: [{ to: '/app', name: 'common.home', icon: Inbox }],
  },
  {
    name: 'translate.title',
    icon: Languages,
    entries: [{ to: '/app/translate', name: 'translate.title', icon: Languages }],
  },
  {
    name: 'documents.title',
    icon: Files,
    entries: [
      { to: '/app/files', name: 'documents.title', icon: FileText },
      { to: '/app/texts', name: 'jobs.title', icon: TextQuote },
      { to: '/app/estimates', name: 'documents.estimates', icon: Calculator },
    ],
  },
  {
    name: 'common.assets',
    icon: Library,
    entries: [
      { to: '/app/glossaries', name: 'common.glossaries', icon: BookOpen },
      { to: '/app/style-guides', name: 'common.style_guides', icon: SpellCheck },
      { to: '/app/memories', name: 'common.memories', icon: Database },
      { to: '/app/concordance', name: 'common.concordance', icon: Search },
    ],
  },
  {
    name: 'common.usage',
    icon: ChartColumn,
    entries: [
      { to: '/app/reports', name: 'common.usage', icon: ChartColumn, admin: true },
      { to: '/app/quality', name: 'common.quality', icon: Gauge },
    ],
  },
  {
    name: 'common.settings',
    icon: Settings,
    entries: [
      { to: '/app/settings/general', name: 'general.title', icon: SlidersHorizontal, admin: true },
      { to: '/app/settings/members', name: 'members.title', icon: Users, admin: true },
      { to: '/app/settings/security', name: 'security.title', icon: ShieldCheck },
      { to: '/app/settings/notifications', name: 'notifications.title', icon: Bell, needs: 'mail' },
      { to: '/app/settings/api-keys', name: 'apiKeys.title', icon: KeyRound, admin: true },
      { to: '/app/settings/storage', name: 'storage.title', icon: HardDrive, admin: true },
      { to: '/billing', name: 'billing.title', icon: CreditCard, admin: true, needs: 'billing' },
      { to: '/app/settings/audit', name: 'common.audit', icon: ScrollText, admin: true },
      { to: '/app/settings/operator', name: 'common.operator', icon: ServerCog, operator: true },
    ],
  },
];

/** A member's roles, as far as they determine what is shown. */
export interface Standing {
  isAdmin: boolean;
  isOperator: boolean;
}

/** The sections that a member sees, with the entries that the member sees. */
export function visibleSections(standing: Standing): Section[] {
  return sections.flatMap((section) => {
    const entries = section.entries.filter((entry) => isVisible(entry, standing) && isOpen(entry.to));
    return entries.length > 0 && isVisible(section, standing) ? [{ ...section, entries }] : [];
  });
}

function isVisible(
  { admin, needs, operator }: Omit<Entry, 'to'>,
  { isAdmin, isOperator }: Standing,
): boolean {
  return (!admin || isAdmin) && (!needs || deployment[needs]) && (!operator || isOperator);
}

/** Whether a path is the screen of an entry, or below it. `/app` is only the inbox. */
export function isAt(path: string, { to }: Entry): boolean {
  return path === to || (to !== '/app' && path.startsWith(`${to}/`));
}
