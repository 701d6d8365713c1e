-- Whether flows that are sampled first end with smaller rates: flows of first-sampled.yaml, by the
-- time of their first sample.
--
--     weir sweep studies/qcn-os/first-sampled.yaml
--     sqlite3 -header first-sampled.db < studies/qcn-os/first-sampled.sql
CREATE TEMP TABLE hot AS
SELECT s.id AS run, round((s.measures ->> ('sampled-' || f.value)) / 1e8) / 10 AS sampled_ms,
       (s.measures ->> ('rate-' || f.value)) / 1e9 AS rate
FROM summary s, json_each('["f2", "f3", "f4", "f5", "f6"]') f;

SELECT sampled_ms, count(*) AS flows, round(avg(rate), 3) AS mean_gbps,
       round(avg(rate < (SELECT avg(rate) FROM hot o WHERE o.run = hot.run)), 2) AS below_mean
FROM hot GROUP BY 1;

-- Runs in which the flows sampled first end, on average, with less than the others.
SELECT count(*) AS runs, sum(early < late) AS slower, round(avg(early), 3) AS first_gbps,
       round(avg(late), 3) AS others_gbps
FROM (SELECT avg(CASE WHEN sampled_ms = least THEN rate END) AS early,
             avg(CASE WHEN sampled_ms > least THEN rate END) AS late
      FROM (SELECT *, min(sampled_ms) OVER (PARTITION BY run) AS least FROM hot) GROUP BY run)
WHERE late IS NOT NULL;
