-- The largest share of an answer's support that one passage has, of decisions that judged it: how many, and their sum.
-- A judged answer without shares counts as 0, as the document counts refusals.
ALTER TABLE decision_rollups ADD COLUMN evidence_share_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision_rollups ADD COLUMN evidence_share_sum REAL NOT NULL DEFAULT 0.0;

-- Triggers have no order: whichever comes first makes the row, and the other adds to it.
CREATE TRIGGER evidence_shares_are_counted AFTER INSERT ON decisions
WHEN NEW.answer_signals IS NOT NULL
BEGIN
  INSERT INTO decision_rollups (
    tenant, span_ms, start_ms, collection, policy_id, verdict, band, cache, reason, mode,
    events, confidence_count, confidence_sum, total_ms_count, total_ms_sum, retrieval_ms_count, retrieval_ms_sum,
    generation_ms_count, generation_ms_sum, model_calls, input_tokens, output_tokens, escalated, expanded,
    confidence_bins, latency_bins, evidence_share_count, evidence_share_sum
  )
  SELECT
    NEW.tenant, span.ms, NEW.at_ms - NEW.at_ms % span.ms, NEW.collection, NEW.policy_id, NEW.verdict, NEW.band,
    NEW.cache, NEW.reason, NEW.mode,
    0, 0, 0.0, 0, 0.0, 0, 0.0, 0, 0.0, 0, 0, 0, 0, 0, '{}', '{}', 1, found.share
  FROM
    (SELECT 3600000 AS ms UNION ALL SELECT 86400000) AS span,
    (
      SELECT max(coalesce(finding.value ->> 'actual', 0.0)) AS share
      FROM json_each(NEW.findings) AS finding WHERE finding.value ->> 'gate' = 'evidence-share'
    ) AS found
  WHERE found.share IS NOT NULL
  ON CONFLICT (tenant, span_ms, start_ms, collection, policy_id, verdict, band, cache, reason, mode) DO UPDATE SET
    evidence_share_count = evidence_share_count + 1,
    evidence_share_sum = evidence_share_sum + excluded.evidence_share_sum;
END;
