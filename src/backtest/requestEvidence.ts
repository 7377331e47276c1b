import { type Static, Type } from '@sinclair/typebox'

const strict = { additionalProperties: false } as const

/** The sections of `include` that are returned in the field `evidence`. */
export const evidenceSections = ['spa', 'interval', 'cpcv', 'track_record'] as const
export type EvidenceSection = (typeof evidenceSections)[number]

/** The default fraction of a name's dollar volume that one of its trades may be. */
export const defaultParticipation = 0.01

/** The maximum number of test-group choices in one cross-validation. */
export const maxCpcvChoices = 1_000

export const BacktestEvidence = Type.Object(
  {
    seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 4_294_967_295,
        default: 1,
        description: 'Seed of the resamples. The same seed gives the same numbers, on any number of workers.',
      }),
    ),
    bootstraps: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 10_000,
        default: 1_000,
        description: 'Number of resamples. A p value is a multiple of one over it.',
      }),
    ),
    meanBlock: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 5_000,
        description:
          'Mean length of the blocks that are drawn together, in periods. Default: chosen from the record after Politis and White (2004, corrected 2009), the longer of the lengths for net and for excess returns.',
      }),
    ),
    benchmark: Type.Optional(
      Type.Union([Type.Literal('universe'), Type.Literal('cash')], {
        deprecated: true,
        description:
          'Deprecated: an older name of the field `benchmark` next to `config`. It is the benchmark of the whole result; if both are sent, they must be equal.',
      }),
    ),
    groups: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 20,
        default: 10,
        description: 'Groups of periods that cpcv cuts the record into.',
      }),
    ),
    testGroups: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 19,
        default: 2,
        description: `Groups that cpcv tests at a time. There may be at most ${maxCpcvChoices.toLocaleString('en')} ways to choose them.`,
      }),
    ),
    participation: Type.Optional(
      Type.Number({
        minimum: 0.0001,
        maximum: 1,
        default: defaultParticipation,
        description:
          "Largest share of a name's dollar volume of the date that one trade may be, for capacity.",
      }),
    ),
  },
  {
    ...strict,
    $id: 'BacktestEvidence',
    description:
      'With include spa, interval, cpcv, track_record or capacity, or with compare: how they are computed.',
  },
)
export type BacktestEvidence = Static<typeof BacktestEvidence>
