"""Counters of every driver: those that tell of trouble stay, traffic and what is 0 goes."""

import pytest

from l0_infra.facts.fabric.counters import parse_counters

TROUBLE = """
symbol_error link_error_recovery link_downed port_rcv_errors port_rcv_remote_physical_errors port_xmit_discards
port_xmit_wait port_rcv_constraint_errors local_link_integrity_errors excessive_buffer_overrun_errors VL15_dropped
out_of_buffer out_of_sequence packet_seq_err local_ack_timeout_err implied_nak_seq_err duplicate_request
rnr_nak_retry_err req_transport_retries_exceeded req_cqe_flush_error req_remote_access_errors
req_remote_invalid_request rx_icrc_encapsulated np_cnp_sent np_ecn_marked_roce_packets rp_cnp_ignored
roce_adp_retrans roce_slow_restart_cnps rx_discards_phy rx_prio3_pause tx_prio3_pause_duration
rx_symbol_err_phy link_down_events_phy rx_pcs_symbol_err_phy outbound_pci_stalled_wr rx_out_of_buffer
to_retransmits oos_drop_count res_cmp_err missing_resp bad_resp_err max_retry_exceeded rx_ecn_marked_pkts
ip4InDiscards ip4InTruncatedPkts tcpRetransSegs RxECNMrkd cnpHandled rx_drops retrans_timeout_events
unresponsive_remote_events impaired_remote_conn_events
"""
TRAFFIC = """
port_rcv_data port_xmit_packets unicast_rcv_packets multicast_xmit_packets lifespan rx_write_requests
rx_read_requests rx_atomic_requests rx_bytes_phy tx_packets rx_corrected_bits_phy rx0_buff_alloc_err tx_12_dropped
ch3_poll active_qps watermark_mrs rx_good_pkts ip4OutOctets iwInRdmaWrites tx_bytes recv_wrs
"""


@pytest.mark.parametrize("name", TROUBLE.split())
def test_trouble_is_kept(name: str) -> None:
    assert [(one.name, one.value) for one in parse_counters([(name, "7"), (name, "8")])] == [(name, 7)]
    assert parse_counters([(name, "0")]) == parse_counters([(name, "-7")]) == ()


@pytest.mark.parametrize("name", TRAFFIC.split())
def test_traffic_is_not(name: str) -> None:
    assert parse_counters([(name, "7")]) == ()
