import { expect, test } from 'vitest';
import { buildOpenApiDocument } from '#rest/openapi.ts';
import { appRouter } from '#server/router.ts';

const document = buildOpenApiDocument(appRouter);

/** The 62 component schemas of the specification, by the section that defines the name or the fields of the schema. */
const components: Readonly<Record<string, readonly string[]>> = {
  'A 1 rule 5': ['HealthStatus'],
  'A 2.1': ['TenantAccount', 'TenantAccountCreate', 'SecurityPolicyRequest'],
  'A 2.2': ['AuthenticatedUser', 'UserRow'],
  'A 2.3': ['OAuth2TokenResponse'],
  'A 2.4': [
    'WorkspaceSelectionResponse',
    'SignupResponse',
    'MfaChallenge',
    'MfaRequiredResponse',
    'IntrospectResponse',
    'MeResponse',
  ],
  'A 2.5, C 3': ['TenantUsageRecord', 'TenantUsageSummary', 'DailyUsage'],
  'A 4.1': [
    'MfaEnrollRequest',
    'MfaEnrollConfirmRequest',
    'MfaChallengeVerifyRequest',
    'InvitePreviewRequest',
  ],
  'A 4.2': ['EmailSignupRequest'],
  'A 4.3': ['TokenRequest'],
  'A 4.4, C 2': ['InviteCreateRequest', 'InviteRecord'],
  'A 7.1': ['ErrorDetail', 'HTTPValidationError', 'ValidationError'],
  'B 2.1': ['TranslationRequest'],
  'B 2.2': ['TranslationJob'],
  'B 2.3': [
    'QualityGate',
    'HumanReviewTask',
    'HumanReviewTrigger',
    'QualityIssue',
    'AgentStep',
    'ToolTrace',
    'AgentDecision',
  ],
  'B 2.7': [
    'TenantDocumentJob',
    'DocumentTranslationRequest',
    'DocumentFailureDetail',
    'DocumentFeedManifest',
    'DocumentFedPair',
    'DocumentQualityReport',
    'DocumentQualityFinding',
    'DocumentReviewRecord',
    'TenantDocumentArtifact',
  ],
  'B 2.8': ['TerminologySet'],
  'B 2.9': ['TranslationMemorySet', 'TranslationMemoryImportJob'],
  'B 2.10': ['StorageBinding'],
  'B 3.1': ['JobStatus'],
  'B 3.2': ['DocumentJobStatus'],
  'B 4.1, C 4': ['TranslationReviewRequest'],
  'B 4.3, C 5': [
    'DocumentApproveRequest',
    'DocumentApproval',
    'DocumentReviewRequest',
    'DocumentSegment',
    'DocumentSegmentPage',
    'DocumentSummary',
  ],
  'B 4.5': ['TranslationMemoryImportPoll'],
  'B 4.6, C 6': ['StorageBindingRequest', 'ReplaySummary', 'StorageUsage'],
};

test('the component schemas are these 62, each of a section', () => {
  const names = Object.values(components).flat();
  expect(names).toHaveLength(62);
  expect(Object.keys(document.components.schemas)).toEqual(names.toSorted());
});

test('no component is unused, and none is left out that something refers to', () => {
  const used = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
  const unused = new Set(Object.keys(document.components.schemas));
  for (const [, name = ''] of used) {
    expect(Object.keys(document.components.schemas)).toContain(name);
    unused.delete(name);
  }
  expect([...unused]).toEqual([]);
});
