import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import { answerPurgesContract } from '../contracts/answer-purges.ts'

answerPurgesContract('createMemoryAnswerPurges', createMemoryAnswerPurges)
