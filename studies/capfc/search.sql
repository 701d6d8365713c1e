-- Judges each combination of search.yaml by thirteen headline statements of the paper.
--
--     weir sweep studies/capfc/search.yaml && sqlite3 capfc-search.db < studies/capfc/search.sql
--
-- Twelve are the factors of Fig. 8(a) and (b), six for each version of CaPFC.  The thirteenth is that
-- long flows do not pay: the longest takes at most 4 % more than under PFC_wdrop, with both versions
-- in both scenarios (IV.C.6).  A factor holds if its mean over the seeds is within 25 % of the
-- published one, or larger; it is in the direction if every seed has more than 1.
CREATE TEMP TABLE combination AS
SELECT s.id, s.settings ->> '$."load"' AS load, s.settings ->> '$."tree"' AS tree,
       s.settings ->> '$."tcp.min_rto"' AS timeout, s.settings ->> '$."selective.span"' AS window,
       s.settings ->> '$."selective.reorder"' AS retransmit, s.settings ->> '$."ecn"' AS ecn,
       s.settings ->> '$."switch.egress_of"' AS max_of, s.settings ->> '$."scenario"' AS scenario,
       s.settings ->> '$."scheme"' AS scheme, s.settings ->> '$."run.seed"' AS seed,
       w.name AS flows, w.fct_max_ps AS longest
FROM summary s JOIN summary_workload w ON w.sweep = s.sweep AND w.summary = s.id;
CREATE INDEX temp.by_run ON combination
    (load, tree, timeout, window, retransmit, ecn, max_of, scenario, seed, flows, scheme);

CREATE TEMP TABLE headline (flows TEXT, scenario TEXT, pfc TEXT, published REAL);
INSERT INTO headline VALUES
    ('query', '1', 'PFC_wdrop', 6), ('query', '1', 'PFC_wstop', 3), ('short', '1', 'PFC_wdrop', 5),
    ('short', '1', 'PFC_wstop', 5), ('short', '2', 'PFC_wdrop', 17), ('query', '2', 'PFC_wstop', 6);

-- PFC over CaPFC, seed by seed.
CREATE TEMP TABLE factor AS
SELECT p.load, p.tree, p.timeout, p.window, p.retransmit, p.ecn, p.max_of, h.flows, h.scenario,
       h.pfc, h.published, c.scheme, avg(1.0 * p.longest / c.longest) AS mean,
       min(1.0 * p.longest / c.longest) AS lowest
FROM headline h
JOIN combination p ON p.flows = h.flows AND p.scenario = h.scenario AND p.scheme = h.pfc
JOIN combination c USING (load, tree, timeout, window, retransmit, ecn, max_of, scenario, seed, flows)
WHERE c.scheme LIKE 'CaPFC%'
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12;

CREATE TEMP TABLE long_flows AS
SELECT c.load, c.tree, c.timeout, c.window, c.retransmit, c.ecn, c.max_of,
       max(1.0 * c.longest / p.longest) AS most
FROM combination c
JOIN combination p USING (load, tree, timeout, window, retransmit, ecn, max_of, scenario, seed, flows)
WHERE flows = 'long' AND c.scheme LIKE 'CaPFC%' AND p.scheme = 'PFC_wdrop'
GROUP BY 1, 2, 3, 4, 5, 6, 7;

.mode markdown
SELECT load, tree, timeout, window, retransmit, ecn, max_of,
       sum(mean >= 0.75 * published) + (most < 1.04) AS holds,
       sum(mean < 0.75 * published AND lowest > 1) AS direction,
       group_concat(printf('%.3g', mean), ', ') AS "query/wdrop, query/wstop, short/wdrop, short/wstop, 2: query/wstop, 2: short/wdrop",
       printf('%.2f', most) AS long
FROM (SELECT * FROM factor ORDER BY scenario, flows, pfc, scheme DESC) JOIN long_flows
    USING (load, tree, timeout, window, retransmit, ecn, max_of)
GROUP BY 1, 2, 3, 4, 5, 6, 7
ORDER BY holds DESC, direction DESC;
