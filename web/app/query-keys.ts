import type { InvalidateQueryFilters, QueryKey } from '@tanstack/react-query';

/**
 * The keys of the query cache, by domain and kind of data. A key matches all keys that begin with it: `all` of a domain
 * matches all data of this domain.
 */
export const queryKeys = {
  sessions: ['sessions'] as const,
  me: ['me'],
  coverage: ['coverage'],
  apiKeys: ['api-keys'],
  exports: ['exports'],
  styleGuides: ['style-guides'],
  general: ['general'],
  segmentation: ['segmentation'],
  textRules: ['text-rules'],
  earlierVersions: (file: number, request: object) => ['earlier-versions', file, request],
  mailPreferences: ['mail-preferences'],
  jobs: {
    all: ['jobs'],
    list: (filter: object) => ['jobs', 'list', filter],
    job: (id: string) => ['jobs', 'job', id],
    check: (id: string, text: string) => ['jobs', 'check', id, text],
    queues: ['jobs', 'queue'],
    queue: (filters: object) => ['jobs', 'queue', filters],
    allSeries: ['jobs', 'series'],
    /** The jobs of a batch or file that is being sent, by its idempotency key. */
    series: (key: string | undefined) => ['jobs', 'series', key],
  },
  documents: {
    all: ['documents'],
    list: (filter: object) => ['documents', 'list', filter],
    document: (id: string) => ['documents', 'document', id],
    outline: (id: string) => ['documents', 'outline', id],
    allSegments: (id: string) => ['documents', 'segments', id],
    segments: (id: string, filter: object, offset: number) => ['documents', 'segments', id, filter, offset],
    /** The segments of one sheet for the preview, which loads smaller pages than the list of segments. */
    cells: (id: string, page: number, offset: number) => ['documents', 'segments', id, 'cells', page, offset],
    slideSize: (artifactId: string) => ['documents', 'slide-size', artifactId],
    check: (id: string, position: number, text: string | undefined) => [
      'documents',
      'check',
      id,
      position,
      text,
    ],
    issues: (id: string) => ['documents', 'issues', id],
    allHistory: (id: string) => ['documents', 'history', id],
    history: (id: string, position: number) => ['documents', 'history', id, position],
    nextOpen: (id: string, after: number) => ['documents', 'next', id, after],
    place: (id: string, side: string, position: number | null) => ['documents', 'place', id, side, position],
    boxes: (id: string, page: number, artifactId: string) => ['documents', 'boxes', id, page, artifactId],
    lines: (id: string) => ['documents', 'lines', id],
    allFiles: ['documents', 'file'],
    file: (id: string, artifactId: string) => ['documents', 'file', id, artifactId],
    allProgress: ['documents', 'progress'],
    progress: (ids: readonly string[]) => ['documents', 'progress', ids],
  },
  terminology: {
    all: ['terminology'],
    sets: ['terminology', 'sets'],
    spelling: (language: string) => ['terminology', 'spelling', language],
    terms: (setId: string, filter: object) => ['terminology', 'terms', setId, filter],
    matches: (text: string, languages: object, isHtml: boolean) => [
      'terminology',
      'matches',
      text,
      languages,
      isHtml,
    ],
  },
  memory: {
    all: ['memory'],
    sets: ['memory', 'sets'],
    imports: ['memory', 'imports'],
    penalties: ['memory', 'penalties'],
    changes: (setId: string) => ['memory', 'changes', setId],
    units: (setId: string, version: string, filter: object) => ['memory', 'units', setId, version, filter],
    problems: (setId: string, problem: string) => ['memory', 'problems', setId, problem],
    duplicates: (setId: string) => ['memory', 'duplicates', setId],
    otherTranslations: (setId: string) => ['memory', 'otherTranslations', setId],
    matches: (jobId: string) => ['memory', 'matches', jobId],
    concordance: (request: object) => ['memory', 'concordance', request],
  },
  members: {
    all: ['members'],
    list: (filter: object) => ['members', 'list', filter],
    emails: ['members', 'emails'],
    colleagues: (search: string) => ['members', 'colleagues', search],
  },
  /** By what is asked for: items, own work, members, a profile or the rules. */
  assignments: { all: ['assignments'], of: (what: object) => ['assignments', what] },
  comments: (about: object) => ['comments', about],
  invites: ['invites'],
  audit: (filter: object) => ['audit', filter],
  reviews: {
    inbox: ['reviews', 'inbox'],
    texts: (filter: object) => ['reviews', 'texts', filter],
    text: (id: string | undefined) => ['reviews', 'text', id],
    fresh: (filter: object) => ['reviews', 'fresh', filter],
    whole: (id: string, version: string) => ['reviews', 'whole', id, version],
    mentions: ['reviews', 'mentions'],
  },
  /** @param isAdmin whether the member can list members */
  firstSteps: (isAdmin: boolean) => ['first-steps', isAdmin],
  reviewers: (from: string | undefined, to: string | undefined) => ['reviewers', from, to],
  usage: {
    /** @param versions values that change the figures, such as the prepaid characters after a payment */
    summary: (tenantId: string, ...versions: unknown[]) => ['usage', 'summary', tenantId, ...versions],
    daily: (tenantId: string, from: string | undefined, to: string | undefined) => [
      'usage',
      'daily',
      tenantId,
      from,
      to,
    ],
  },
  quality: {
    all: ['quality'],
    report: (query: object) => ['quality', 'report', query],
    calibrations: ['quality', 'calibrations'],
    checks: (origin: string, state: string) => ['quality', 'checks', origin, state],
    check: (id: string) => ['quality', 'check', id],
    marks: (documentId: string | undefined) => ['quality', 'marks', documentId],
    settings: ['quality', 'settings'],
    scorecard: (query: object) => ['quality', 'scorecard', query],
  },
  reports: {
    breakdown: (by: string, range: object) => ['reports', 'breakdown', by, range],
  },
  prices: ['prices'],
  engine: ['engine'],
  storage: {
    usage: ['storage', 'usage'],
    binding: ['storage', 'binding'],
  },
  operator: {
    standing: ['operator', 'standing'],
    tenants: ['operator', 'tenants'],
    usage: (tenantId: string | undefined) => ['operator', 'usage', tenantId],
    queue: ['operator', 'queue'],
    workspace: (tenantId: string) => ['operator', 'workspace', tenantId],
    engines: ['operator', 'engines'],
    models: ['operator', 'models'],
  },
} as const;

/** Matches all keys of a domain except those whose second part equals that of `thing`. */
export function allExcept(domain: QueryKey, thing: QueryKey): InvalidateQueryFilters {
  return { queryKey: domain, predicate: ({ queryKey }) => queryKey[1] !== thing[1] };
}
